import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** From one part of a list to another, the latter not included, with the room that those before and after it take. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly abovePx: number;
  readonly belowPx: number;
}

interface WindowOptions {
  /** How many rows each part has. */
  readonly sizes: readonly number[];
  /** How high a row is, as far as anybody knows before it was drawn. */
  readonly rowPx: number;
  /** The part to begin with. */
  readonly first: number;
}

/** So many heights of the view are drawn above it and below it. */
const spareViews = 1.5;

/**
 * Of a long list that scrolls with the page, the parts that are near to what is seen. Whoever draws it puts an empty row of `abovePx` before
 * them and one of `belowPx` behind them, always.
 */
export function useWindowRows(
  list: RefObject<HTMLElement | null>,
  { sizes, rowPx, first }: WindowOptions,
): Window {
  /** How high the rows of a part are on average, once it was drawn. */
  const measured = useRef(new Map<number, number>());
  const [range, setRange] = useState({ from: first, to: first + 1 });
  const { from, to } = range;

  const heightOf = useCallback(
    (part: number) => (measured.current.get(part) ?? rowPx) * (sizes[part] ?? 0),
    [sizes, rowPx],
  );
  const look = useCallback(() => {
    if (list.current === null) return;
    // Each time: a row that is drawn only when it is seen has its height from then on.
    measure(list.current, { from, to, sizes, into: measured.current });
    const { top } = list.current.getBoundingClientRect();
    const next = nearTo(
      sizes.map((_, part) => heightOf(part)),
      {
        fromPx: -top - innerHeight * spareViews,
        toPx: -top + innerHeight * (1 + spareViews),
      },
    );
    setRange((old) => (old.from === next.from && old.to === next.to ? old : next));
  }, [list, from, to, sizes, heightOf]);

  useLayoutEffect(look, [look]);

  useEffect(() => {
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [look]);

  const sum = (some: readonly number[], offset: number) =>
    some.reduce((px, _, index) => px + heightOf(offset + index), 0);
  return { from, to, abovePx: sum(sizes.slice(0, from), 0), belowPx: sum(sizes.slice(to), to) };
}

/** Which of some parts, one below the other, reach into a span; at least one does. */
export function nearTo(
  heights: readonly number[],
  { fromPx, toPx }: { fromPx: number; toPx: number },
): { from: number; to: number } {
  let [px, from, to] = [0, 0, 0];
  for (const [part, height] of heights.entries()) {
    if (px + height <= fromPx) from = part + 1;
    if (px < toPx) to = part + 1;
    px += height;
  }
  from = Math.max(0, Math.min(from, heights.length - 1));
  return { from, to: Math.max(to, from + 1) };
}

/** The rows of the parts that are drawn stand between the two empty ones. */
function measure(
  list: HTMLElement,
  {
    from,
    to,
    sizes,
    into,
  }: { from: number; to: number; sizes: readonly number[]; into: Map<number, number> },
): void {
  const topOf = (row: number) => list.children[row]?.getBoundingClientRect().top;
  let row = 1;
  for (let part = from; part < to; part++) {
    const rows = sizes[part] ?? 0;
    const [begin, end] = [topOf(row), topOf(row + rows)];
    if (begin !== undefined && end !== undefined && rows > 0) into.set(part, (end - begin) / rows);
    row += rows;
  }
}
