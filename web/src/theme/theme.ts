import { useEffect, useState } from 'react';

import { readChoice, writeChoice } from '../parts/browser-memory.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

const place = 'hob.theme';

/** The colours that were chosen. `first-paint.js` does the same before the first paint. */
export function useTheme(): [ThemeChoice, (choice: ThemeChoice) => void] {
  const [choice, setChoice] = useState<ThemeChoice>(readTheme);
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
  const choose = (chosen: ThemeChoice) => {
    writeChoice(place, chosen === 'system' ? null : chosen);
    setChoice(chosen);
  };
  return [choice, choose];
}

function readTheme(): ThemeChoice {
  const chosen = readChoice(place);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}
