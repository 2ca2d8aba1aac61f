import { tagOf, useSpeech } from '../language/language.tsx';

/** Writes whole numbers as the person is used to: 12,345. */
export function useCountText(): (count: number) => string {
  const { language } = useSpeech();
  return (count) => count.toLocaleString(tagOf(language));
}
