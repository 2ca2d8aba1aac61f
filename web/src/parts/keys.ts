import { useEffect, useRef } from 'react';

/** Whether keys pressed in the target are text input and not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  );
}

const over = '[role="dialog"], [role="menu"]';

/** Handles Ctrl+Enter anywhere on the page, except while a dialog or menu is open. Null disables it. */
export function useCtrlEnter(act: (() => void) | null): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      // Ignore key repeat, and keys that belong to an input method.
      if (event.repeat || event.isComposing) return;
      // A dialog that handled the key may already be closed.
      if (event.defaultPrevented) return;
      if (latest.current === null || document.querySelector(over) !== null) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
