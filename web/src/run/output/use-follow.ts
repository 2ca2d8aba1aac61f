import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** So near to the end is at the end: a scroll position need not be a whole number. */
const nearPx = 8;

/** Keeps the end of something that grows in sight, until the person goes up; back at the end, it is followed again. */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  grown: unknown,
): { isFollowing: boolean; follow: () => void; leave: () => void } {
  const [isFollowing, setFollowing] = useState(true);
  const state = useRef({ isFollowing: true, top: 0 });
  const set = useCallback((value: boolean) => {
    state.current.isFollowing = value;
    setFollowing(value);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is done whenever something has come
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || !state.current.isFollowing) return;
    element.scrollTop = element.scrollHeight;
    state.current.top = element.scrollTop;
  }, [grown, isFollowing, scroller]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isUp = scrollTop < state.current.top - 1;
      state.current.top = scrollTop;
      if (scrollHeight - scrollTop - clientHeight <= nearPx) set(true);
      // What grew since the last frame has put the end farther away; that alone is no wish to leave it.
      else if (isUp) set(false);
    };
    // Before it has scrolled: a flood would take the person back to the end meanwhile.
    const onWheel = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0 && element.scrollHeight > element.clientHeight) set(false);
    };
    // Lines that were only estimated get their true height, and windows change theirs, without anything having come.
    const sizes = new ResizeObserver(() => {
      if (state.current.isFollowing) element.scrollTop = element.scrollHeight;
    });
    for (const each of [element, ...element.children]) sizes.observe(each);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('wheel', onWheel, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('wheel', onWheel);
    };
  }, [scroller, set]);

  const follow = useCallback(() => set(true), [set]);
  const leave = useCallback(() => {
    const element = scroller.current;
    // Where all of it is in sight there is nowhere else to be.
    if (element !== null && element.scrollHeight > element.clientHeight) set(false);
  }, [scroller, set]);
  return { isFollowing, follow, leave };
}
