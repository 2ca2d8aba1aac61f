import { type RefObject, useEffect } from 'react';

/** Cards keep so far from the edges of the page, where a phone has its bar. */
const marginPx = 80;

/** Scrolls the page just as far as it takes for a row to be seen; null: it stays where it is. */
export function useScrolledTo(list: RefObject<HTMLElement | null>, row: number | null, rowPx: number): void {
  useEffect(() => {
    if (list.current === null || row === null) return;
    const top = list.current.getBoundingClientRect().top + row * rowPx;
    const below = top + rowPx - (innerHeight - marginPx);
    if (top < marginPx) scrollBy(0, top - marginPx);
    else if (below > 0) scrollBy(0, below);
  }, [list, row, rowPx]);
}
