import { tagOf, useLanguage } from '../language/language.tsx';

/** Formats integers in the current language: 12,345. */
export function useCountText(): (count: number) => string {
  const { language } = useLanguage();
  return (count) => count.toLocaleString(tagOf(language));
}
