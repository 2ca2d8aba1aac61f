import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

import { blocksInSight } from './blocks-in-sight.ts';

/** About two wheel steps, so that blocks are coloured before they come into view. */
const marginPx = 200;

/** The keys of the blocks near the view, and of those in which a selection begins or ends. Recomputed when a value of `shown` changes. */
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
    // Synchronously, so that no block is painted without its colours.
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

/** Blocks with an end of the selection. They must keep their elements, or the selection is lost. */
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
