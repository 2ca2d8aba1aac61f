import { useSyncExternalStore } from 'react';

import { onChoiceElsewhere, readChoice, writeChoice } from '../parts/browser-memory.ts';

const place = 'hob.favourites';
const listeners = new Set<() => void>();
let known: ReadonlySet<string> | null = null;

/** The ids of favourite scripts, shared with other tabs of the browser. */
export function useFavourites(): [ReadonlySet<string>, (id: string) => void] {
  return [useSyncExternalStore(subscribe, current), toggle];
}

function current(): ReadonlySet<string> {
  known ??= new Set(read());
  return known;
}

function read(): string[] {
  try {
    const kept: unknown = JSON.parse(readChoice(place) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

function toggle(id: string): void {
  const chosen = new Set(current());
  if (!chosen.delete(id)) chosen.add(id);
  known = chosen;
  writeChoice(place, JSON.stringify([...chosen]));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const unsubscribe = onChoiceElsewhere(place, () => {
    known = null;
    listener();
  });
  return () => {
    listeners.delete(listener);
    unsubscribe();
  };
}
