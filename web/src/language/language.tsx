import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';

import { onChoiceElsewhere, readChoice, writeChoice } from '../parts/browser-memory.ts';

export type Language = 'en' | 'zh';
/** Returns the text in the current language. */
export type Say = (en: string, zh: string) => string;

interface LanguageState {
  readonly language: Language;
  readonly say: Say;
  readonly choose: (language: Language) => void;
}

const LanguageContext = createContext<LanguageState | null>(null);
const place = 'hob.language';

/** The language that the user chose in this or another tab, or else the language of the browser. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const client = useQueryClient();
  const speak = useCallback(
    (chosen: Language) => {
      setLanguage(chosen);
      document.documentElement.lang = tagOf(chosen);
      // The service answers in the language of the request, so refetch all texts.
      void client.invalidateQueries();
    },
    [client],
  );
  const choose = useCallback(
    (chosen: Language) => {
      writeChoice(place, chosen);
      speak(chosen);
    },
    [speak],
  );
  useEffect(() => onChoiceElsewhere(place, () => speak(chosenLanguage())), [speak]);
  const speech = useMemo(
    () => ({ language, choose, say: (en: string, zh: string) => (language === 'zh' ? zh : en) }),
    [language, choose],
  );
  return <LanguageContext value={speech}>{children}</LanguageContext>;
}

export function useLanguage(): LanguageState {
  const speech = useContext(LanguageContext);
  if (speech === null) throw new Error('there is no LanguageProvider');
  return speech;
}

/** Shortcut for components that only need `say`. */
export function useSay(): Say {
  return useLanguage().say;
}

/** The value for the attribute `lang` and the header `Accept-Language`. */
export function tagOf(language: Language): string {
  return language === 'zh' ? 'zh-CN' : 'en';
}

/** Sets the attribute `lang` immediately, because requests read it before the first render. */
function firstLanguage(): Language {
  const language = chosenLanguage();
  document.documentElement.lang = tagOf(language);
  return language;
}

function chosenLanguage(): Language {
  const chosen = readChoice(place);
  if (chosen === 'en' || chosen === 'zh') return chosen;
  const known = navigator.languages.find((tag) => /^(en|zh)\b/i.test(tag));
  return known?.toLowerCase().startsWith('zh') === true ? 'zh' : 'en';
}
