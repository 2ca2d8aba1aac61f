import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

import { focusMain } from '../parts/use-return-focus.ts';

/** Who goes to another page by the keyboard is on it then, and not where the link was that is gone. */
export function usePageFocus(): void {
  const [path] = useLocation();
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    // A page may want it somewhere itself.
    if (document.getElementById('main')?.contains(document.activeElement) !== true) focusMain();
  }, [path]);
}
