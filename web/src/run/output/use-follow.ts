import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Distance that counts as the end, because scroll positions can be fractional. */
const nearPx = 8;

/** Keeps the end of growing content in view until the user scrolls up. Scrolling to the end follows it again. */
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever content was added
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
      // New content moves the end away, so only scrolling up counts as leaving it.
      else if (isUp) set(false);
    };
    // React before the scroll event, because new content would scroll back to the end first.
    const onWheel = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0 && element.scrollHeight > element.clientHeight) set(false);
    };
    // Estimated heights become real and windows are resized without new content.
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
    // If everything is in view, there is nothing to leave.
    if (element !== null && element.scrollHeight > element.clientHeight) set(false);
  }, [scroller, set]);
  return { isFollowing, follow, leave };
}
