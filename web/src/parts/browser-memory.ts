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

/** Hears when another tab has chosen something else, until what is returned is called. */
export function onChoiceElsewhere(place: string, hear: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    // Null: all of it was cleared.
    if (key === place || key === null) hear();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}
