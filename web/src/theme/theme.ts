import { useEffect, useSyncExternalStore } from 'react';

import { listenersOf, readChoice, writeChoice } from '../parts/browser-memory.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

const place = 'hob.theme';
const { subscribe, notify } = listenersOf(place, () => {
  known = null;
});
let known: ThemeChoice | null = null;

/** The chosen theme, shared by all components and tabs. `first-paint.js` applies it before the first paint. */
export function useTheme(): [ThemeChoice, (choice: ThemeChoice) => void] {
  const choice = useSyncExternalStore(subscribe, current);
  useEffect(() => {
    const preference = matchMedia('(prefers-color-scheme: dark)');
    const apply = () => {
      const isDark = choice === 'dark' || (choice === 'system' && preference.matches);
      document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    };
    apply();
    preference.addEventListener('change', apply);
    return () => preference.removeEventListener('change', apply);
  }, [choice]);
  return [choice, choose];
}

function choose(chosen: ThemeChoice): void {
  writeChoice(place, chosen === 'system' ? null : chosen);
  known = chosen;
  notify();
}

function current(): ThemeChoice {
  known ??= readTheme();
  return known;
}

function readTheme(): ThemeChoice {
  const chosen = readChoice(place);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}
