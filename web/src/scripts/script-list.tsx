import { useRef } from 'react';

import type { Outcome, Script } from '../api/wire.ts';
import { useRowsInView } from '../parts/use-rows-in-view.ts';
import { ScriptCard } from './script-card.tsx';
import { useGridShape } from './use-grid-shape.ts';

interface ScriptListProps {
  readonly scripts: readonly Script[];
  /** By the ids of scripts, as are the favourites. */
  readonly lastRuns: ReadonlyMap<string, Outcome>;
  readonly favourites: ReadonlySet<string>;
  readonly onFavourite: (id: string) => void;
  /** By their folders. */
  readonly unusable: ReadonlySet<string>;
}

/** The cards of all scripts; only those in view are really there. */
export function ScriptList({ scripts, lastRuns, favourites, onFavourite, unusable }: ScriptListProps) {
  const list = useRef<HTMLUListElement>(null);
  const { columns, rowPx } = useGridShape(list);
  const rows = Math.ceil(scripts.length / columns);
  const { from, until } = useRowsInView({ list, scrolls: 'page', count: rows, rowPx });
  const first = from * columns;
  return (
    <ul
      ref={list}
      className="grid auto-rows-[4.25rem] grid-cols-1 gap-3 sm:auto-rows-[7.25rem] sm:grid-cols-2 xl:grid-cols-3"
      style={{ paddingTop: from * rowPx, paddingBottom: (rows - until) * rowPx }}
    >
      {scripts.slice(first, until * columns).map((script, offset) => (
        <ScriptCard
          key={script.folder}
          script={script}
          position={first + offset + 1}
          count={scripts.length}
          lastRun={lastRuns.get(script.id) ?? null}
          isFavourite={favourites.has(script.id)}
          onFavourite={onFavourite}
          isUnusable={unusable.has(script.folder)}
        />
      ))}
    </ul>
  );
}
