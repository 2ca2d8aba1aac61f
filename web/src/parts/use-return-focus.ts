import { useLayoutEffect, useRef } from 'react';

/** Where the focus was, and at which address, when something was laid over the page. */
interface Left {
  readonly path: string;
  /** What is there no more, or cannot have the focus by then, is passed over. */
  readonly places: readonly HTMLElement[];
}

/** Of what was laid over the page last, until that is closed. */
let latest: readonly HTMLElement[] = [];

/** Gives the focus back when what lies over the page is closed: for its `onCloseAutoFocus`. */
export function useReturnFocus(isOpen: boolean): (event: Event) => void {
  const left = useRef<Left>({ path: '', places: [] });
  // Before anything in it can take the focus.
  useLayoutEffect(() => {
    if (!isOpen) return;
    latest = placesNow();
    left.current = { path: location.pathname, places: latest };
  }, [isOpen]);
  return (event) => {
    event.preventDefault();
    // Another one has taken its place.
    if (document.activeElement?.closest('[role="dialog"]')) return;
    latest = [];
    const { path, places } = left.current;
    // It led to another page: there is nothing to come back to.
    const isBack = path === location.pathname && places.some(tryToFocus);
    if (!isBack) focusMain();
  };
}

/** The page itself: the next Tab goes to the first thing on it. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

function placesNow(): HTMLElement[] {
  const active = document.activeElement;
  const places = active instanceof HTMLElement ? [openerOf(active)] : [];
  // One dialog may open another, and is gone when that is closed.
  return document.querySelector('[role="dialog"]') === null ? places : [...places, ...latest];
}

/** An item of a menu is gone as well; the button that opens the menu stays. */
function openerOf(active: HTMLElement): HTMLElement {
  const menu = active.closest('[role="menu"]');
  return document.getElementById(menu?.getAttribute('aria-labelledby') ?? '') ?? active;
}

function tryToFocus(place: HTMLElement): boolean {
  place.focus();
  return place !== document.body && document.activeElement === place;
}
