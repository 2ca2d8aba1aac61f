import { useLayoutEffect, useRef } from 'react';

/** The focus and the path before an overlay was opened. */
interface Left {
  readonly path: string;
  /** Elements to focus, in order of preference. Removed and unfocusable elements are skipped. */
  readonly places: readonly HTMLElement[];
}

/** The elements of the overlay that was opened last, until it is closed. */
let latest: readonly HTMLElement[] = [];

/** Returns the handler for `onCloseAutoFocus` that restores the focus when an overlay closes. */
export function useReturnFocus(isOpen: boolean): (event: Event) => void {
  const left = useRef<Left>({ path: '', places: [] });
  // Runs before an element of the overlay can take the focus.
  useLayoutEffect(() => {
    if (!isOpen) return;
    latest = placesNow();
    left.current = { path: location.pathname, places: latest };
  }, [isOpen]);
  return (event) => {
    event.preventDefault();
    // Another dialog is open now.
    if (document.activeElement?.closest('[role="dialog"]')) return;
    latest = [];
    const { path, places } = left.current;
    // After navigation to another page there is no element to return to.
    const isBack = path === location.pathname && places.some(tryToFocus);
    if (!isBack) focusMain();
  };
}

/** Focuses the page itself, so that the next Tab goes to its first control. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

function placesNow(): HTMLElement[] {
  const active = document.activeElement;
  const places = active instanceof HTMLElement ? [openerOf(active)] : [];
  // A dialog that opens another one may be gone when the second one closes.
  return document.querySelector('[role="dialog"]') === null ? places : [...places, ...latest];
}

/** For a menu item, the button that opens the menu, because the item itself is gone later. */
function openerOf(active: HTMLElement): HTMLElement {
  const menu = active.closest('[role="menu"]');
  return document.getElementById(menu?.getAttribute('aria-labelledby') ?? '') ?? active;
}

function tryToFocus(place: HTMLElement): boolean {
  place.focus();
  return place !== document.body && document.activeElement === place;
}
