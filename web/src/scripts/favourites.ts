import { useSyncExternalStore } from 'react';

import { listenersOf, readChoice, writeChoice } from '../parts/browser-memory.ts';

const place = 'hob.favourites';
const { subscribe, notify } = listenersOf(place, () => {
  known = null;
});
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
  notify();
}
