import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

import { focusMain } from '../parts/use-return-focus.ts';

/** Moves the focus to the new page after navigation, because the link that had the focus is gone. */
export function usePageFocus(): void {
  const [path] = useLocation();
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    // The page may have set the focus itself.
    if (document.getElementById('main')?.contains(document.activeElement) !== true) focusMain();
  }, [path]);
}
