import { useEffect, useRef } from 'react';

const over = '[role="dialog"], [role="menu"]';

/** Ctrl+Enter, wherever the focus is; not while something lies over the page that is to be answered first. Null: it does nothing. */
export function useCtrlEnter(act: (() => void) | null): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      // Held down it is still one wish, and an input method takes it for its own.
      if (event.repeat || event.isComposing) return;
      // What lay over the page and took it may have closed by it.
      if (event.defaultPrevented) return;
      if (latest.current === null || document.querySelector(over) !== null) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
