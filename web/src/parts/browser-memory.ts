/** Reads from local storage. Returns null if storage is blocked, for example in a private window. */
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
    // Storage may be blocked or full. The choice then lasts until the page is closed.
  }
}

/** Calls back when another tab changes the value. Returns the function that stops it. */
export function onChoiceElsewhere(place: string, hear: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    // The key is null if all storage was cleared.
    if (key === place || key === null) hear();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}

/** The listeners to a stored value. Another tab that changes the value makes them read it again, after `forget`. */
export function listenersOf(place: string, forget: () => void) {
  const listeners = new Set<() => void>();
  return {
    notify(): void {
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      const unsubscribe = onChoiceElsewhere(place, () => {
        forget();
        listener();
      });
      return () => {
        listeners.delete(listener);
        unsubscribe();
      };
    },
  };
}
