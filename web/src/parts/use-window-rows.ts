import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** A range of parts of a list, `to` excluded, with the height of the parts before and after it. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly abovePx: number;
  readonly belowPx: number;
}

interface WindowOptions {
  /** The number of rows of each part. */
  readonly sizes: readonly number[];
  /** The estimated height of a row that is not rendered yet. */
  readonly rowPx: number;
  /** The part to render first. */
  readonly first: number;
}

/** Heights of the window to render above and below the view. */
const spareViews = 1.5;

/**
 * The parts of a long list near the view; the page scrolls. The caller always renders an empty row of `abovePx` before them and one of
 * `belowPx` after them.
 */
export function useWindowRows(
  list: RefObject<HTMLElement | null>,
  { sizes, rowPx, first }: WindowOptions,
): Window {
  /** The average row height of each part that was rendered. */
  const measured = useRef(new Map<number, number>());
  const [range, setRange] = useState({ from: first, to: first + 1 });
  const { from, to } = range;

  const heightOf = useCallback(
    (part: number) => (measured.current.get(part) ?? rowPx) * (sizes[part] ?? 0),
    [sizes, rowPx],
  );
  const look = useCallback(() => {
    if (list.current === null) return;
    // Measure each time: rows with content-visibility get their real height only when they are seen.
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

/** The parts that overlap a vertical range, at least one. */
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

/** Measures the rendered parts, whose rows are between the two empty rows. */
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
