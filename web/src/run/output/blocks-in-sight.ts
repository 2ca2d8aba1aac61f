/** The blocks of which something can be seen, or is not farther than a margin from it. */
export function blocksInSight(scroller: HTMLElement, marginPx = 0): HTMLElement[] {
  const frame = scroller.getBoundingClientRect();
  const isInSight = (element: HTMLElement) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom >= frame.top - marginPx && top <= frame.bottom + marginPx;
  };
  // Only within the chapters that are: to ask where others have their blocks would have them laid out.
  return [...scroller.querySelectorAll<HTMLElement>('[data-chapter]')]
    .filter(isInSight)
    .flatMap((chapter) => [...chapter.querySelectorAll<HTMLElement>('[data-block]')].filter(isInSight));
}
