import { userLanguage } from '../settings/user-language.ts';

/** The language of the user. */
export const language = userLanguage();

/** Returns the text in the language of the user. */
export function tr(english: string, chinese: string): string {
  return language === 'zh' ? chinese : english;
}
