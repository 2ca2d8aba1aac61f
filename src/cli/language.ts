import { userLanguage } from '../settings/user-language.ts';

export const language = userLanguage();

export function tr(english: string, chinese: string): string {
  return language === 'zh' ? chinese : english;
}
