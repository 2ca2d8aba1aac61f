import { type RefObject, useEffect } from 'react';

/** Distance to the edges of the window, because phones have a bar at the bottom. */
const marginPx = 80;

/** Scrolls the page by the shortest distance that shows a row; null does nothing. */
export function useScrolledTo(list: RefObject<HTMLElement | null>, row: number | null, rowPx: number): void {
  useEffect(() => {
    if (list.current === null || row === null) return;
    const top = list.current.getBoundingClientRect().top + row * rowPx;
    const below = top + rowPx - (innerHeight - marginPx);
    if (top < marginPx) scrollBy(0, top - marginPx);
    else if (below > 0) scrollBy(0, below);
  }, [list, row, rowPx]);
}
