import { useCallback, useEffect, useState } from 'react';

import type { Operation } from './read-document.ts';

/** The expanded operations. The URL names the last one, so that it can be shared. */
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
    // Expanding an operation adds no entry to the browser history.
    if (isOpen) history.replaceState(history.state, '', `#${id}`);
  }, []);
  useEffect(() => {
    const follow = () => {
      const id = location.hash.slice(1);
      if (!operations.some((operation) => operation.id === id)) return;
      set(id, true);
      // The card is already rendered, collapsed.
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
