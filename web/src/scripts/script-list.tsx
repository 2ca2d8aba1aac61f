import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

import type { Outcome, Script } from '../api/wire.ts';
import { useRowsInView } from '../parts/use-rows-in-view.ts';
import { ScriptCard } from './script-card.tsx';

interface GridShape {
  readonly columns: number;
  /** Distance between the tops of two rows. */
  readonly rowPx: number;
}

/** Distance to the edges of the window, because phones have a bar at the bottom. */
const marginPx = 80;

/** The script that Enter opens. */
export interface Marked {
  readonly index: number;
  /** Whether the arrow keys selected it, so that it must be scrolled into view. */
  readonly isSteppedTo: boolean;
}

interface ScriptListProps {
  readonly id: string;
  readonly scripts: readonly Script[];
  /** By script id, like the favourites. */
  readonly lastRuns: ReadonlyMap<string, Outcome>;
  readonly favourites: ReadonlySet<string>;
  readonly onFavourite: (id: string) => void;
  /** Folders of scripts that cannot run. */
  readonly unusable: ReadonlySet<string>;
  readonly marked: Marked | null;
}

/** The cards of all scripts. Only cards near the view are rendered. */
export function ScriptList(props: ScriptListProps) {
  const { id, scripts, lastRuns, favourites, onFavourite, unusable, marked } = props;
  const list = useRef<HTMLUListElement>(null);
  const { columns, rowPx } = useGridShape(list);
  const rows = Math.ceil(scripts.length / columns);
  const { from, until } = useRowsInView({ list, scrolls: 'page', count: rows, rowPx });
  useScrolledTo(list, marked?.isSteppedTo ? Math.floor(marked.index / columns) : null, rowPx);
  const first = from * columns;
  return (
    <ul
      ref={list}
      id={id}
      className="grid auto-rows-[4.25rem] grid-cols-1 gap-3 sm:auto-rows-[8rem] sm:grid-cols-2 xl:grid-cols-3"
      style={{ paddingTop: from * rowPx, paddingBottom: (rows - until) * rowPx }}
    >
      {scripts.slice(first, until * columns).map((script, offset) => (
        <ScriptCard
          key={script.folder}
          linkId={cardId(id, first + offset)}
          script={script}
          position={first + offset + 1}
          count={scripts.length}
          lastRun={lastRuns.get(script.id) ?? null}
          isFavourite={favourites.has(script.id)}
          onFavourite={onFavourite}
          isMarked={first + offset === marked?.index}
          isUnusable={unusable.has(script.folder)}
        />
      ))}
    </ul>
  );
}

export function cardId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** Scrolls the page by the shortest distance that shows a row; null does nothing. */
function useScrolledTo(list: RefObject<HTMLElement | null>, row: number | null, rowPx: number): void {
  useEffect(() => {
    if (list.current === null || row === null) return;
    const top = list.current.getBoundingClientRect().top + row * rowPx;
    const below = top + rowPx - (innerHeight - marginPx);
    if (top < marginPx) scrollBy(0, top - marginPx);
    else if (below > 0) scrollBy(0, below);
  }, [list, row, rowPx]);
}

/** The number of columns and the row height of a grid with equal rows, measured before the first paint. */
function useGridShape(grid: RefObject<HTMLElement | null>): GridShape {
  const [shape, setShape] = useState<GridShape>({ columns: 1, rowPx: 100 });
  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null) return;
    const measure = () => {
      const { columns, rowPx } = shapeOf(element);
      setShape((was) => (was.columns === columns && was.rowPx === rowPx ? was : { columns, rowPx }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [grid]);
  return shape;
}

function shapeOf(element: HTMLElement): GridShape {
  const { gridTemplateColumns, gridAutoRows, rowGap } = getComputedStyle(element);
  return {
    columns: gridTemplateColumns.split(' ').length,
    rowPx: Number.parseFloat(gridAutoRows) + Number.parseFloat(rowGap),
  };
}
