import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';

import { onChoiceElsewhere, readChoice, writeChoice } from '../parts/browser-memory.ts';

export type Language = 'en' | 'zh';
/** Picks what is said in the language of the person. */
export type Say = (en: string, zh: string) => string;

interface Speech {
  readonly language: Language;
  readonly say: Say;
  readonly choose: (language: Language) => void;
}

const SpeechContext = createContext<Speech | null>(null);
const place = 'hob.language';

/** The language that the person chose, here or in another tab, else the one of the browser. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const client = useQueryClient();
  const speak = useCallback(
    (chosen: Language) => {
      setLanguage(chosen);
      document.documentElement.lang = tagOf(chosen);
      // What the service says is in the language it was asked in.
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
  return <SpeechContext value={speech}>{children}</SpeechContext>;
}

export function useSpeech(): Speech {
  const speech = useContext(SpeechContext);
  if (speech === null) throw new Error('there is no LanguageProvider');
  return speech;
}

/** What most parts need of it. */
export function useSay(): Say {
  return useSpeech().say;
}

/** As the attribute `lang` and `Accept-Language` have it. */
export function tagOf(language: Language): string {
  return language === 'zh' ? 'zh-CN' : 'en';
}

/** The page is marked with it at once: requests go out before anything is shown. */
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
