import { useCallback, useEffect, useState } from 'react';

import type { Operation } from './read-document.ts';

/** Which operations are unfolded. The address of the page names the last one, so that it can be passed on. */
export function useOpened(
  operations: readonly Operation[],
): [ReadonlySet<string>, (id: string, isOpen: boolean) => void] {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const set = useCallback((id: string, isOpen: boolean) => {
    setOpened((before) => {
      const after = new Set(before);
      if (isOpen) after.add(id);
      else after.delete(id);
      return after;
    });
    // No entry in the history for each look at something.
    if (isOpen) history.replaceState(history.state, '', `#${id}`);
  }, []);
  useEffect(() => {
    const follow = () => {
      const id = location.hash.slice(1);
      if (!operations.some((operation) => operation.id === id)) return;
      set(id, true);
      // It is there already, folded.
      const card = document.getElementById(id);
      card?.scrollIntoView({ block: 'start' });
      card?.querySelector('button')?.focus({ preventScroll: true });
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [operations, set]);
  return [opened, set];
}
