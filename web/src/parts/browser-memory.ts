/** What the browser keeps for the person. One that keeps nothing (a private window, a full disk) is no reason to fail. */
export function readChoice(place: string): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

export function writeChoice(place: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(place);
    else localStorage.setItem(place, value);
  } catch {
    // It holds for as long as the page is open.
  }
}
