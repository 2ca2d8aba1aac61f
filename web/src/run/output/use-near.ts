import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

import { blocksInSight } from './blocks-in-sight.ts';

/** A turn of the wheel is about half of it, so that what comes into sight has its colours already. */
const marginPx = 200;

/** The keys of the blocks that are in sight or near to it, and of those in which a selection begins or ends. `shown` is all that it depends on. */
export function useNear(
  scroller: RefObject<HTMLElement | null>,
  ...shown: readonly unknown[]
): ReadonlySet<number> {
  const [near, setNear] = useState<ReadonlySet<number>>(new Set());
  const look = useCallback(() => {
    if (scroller.current === null) return;
    const blocks = [...blocksInSight(scroller.current, marginPx), ...selectedBlocks(scroller.current)];
    const now = new Set(blocks.map(({ dataset }) => Number(dataset.block)));
    setNear((before) => (isSame(before, now) ? before : now));
  }, [scroller]);

  useLayoutEffect(look, [look, ...shown]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    // At once: nobody is to see it before it has its colours.
    const onScroll = () => flushSync(look);
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, look]);
  return near;
}

/** They stay as they are, however far they go: a selection whose end is taken away is lost. */
function selectedBlocks(scroller: HTMLElement): HTMLElement[] {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed) return [];
  return [selection.anchorNode, selection.focusNode].flatMap((node) => {
    const element = node instanceof Element ? node : node?.parentElement;
    const block = element?.closest<HTMLElement>('[data-block]');
    return block != null && scroller.contains(block) ? [block] : [];
  });
}

function isSame(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && [...one].every((key) => other.has(key));
}
