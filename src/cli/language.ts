import { userLanguage } from '../settings/user-language.ts';

/** The language of the person at the terminal. */
export const language = userLanguage();

/** What a person reads, in their language. */
export function tr(english: string, chinese: string): string {
  return language === 'zh' ? chinese : english;
}
