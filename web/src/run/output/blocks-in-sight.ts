/** The blocks that are in view or within a margin of it. */
export function blocksInSight(scroller: HTMLElement, marginPx = 0): HTMLElement[] {
  const frame = scroller.getBoundingClientRect();
  const isInSight = (element: HTMLElement) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom >= frame.top - marginPx && top <= frame.bottom + marginPx;
  };
  // Check only the blocks of visible chapters: measuring a block of another chapter would force its layout.
  return [...scroller.querySelectorAll<HTMLElement>('[data-chapter]')]
    .filter(isInSight)
    .flatMap((chapter) => [...chapter.querySelectorAll<HTMLElement>('[data-block]')].filter(isInSight));
}
