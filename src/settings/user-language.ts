import type { Language } from '../shared/text.ts';

/**
 * The language of the desktop user, from the variables that every desktop sets, or from the locale of the system
 * without them.
 */
export function userLanguage(env: NodeJS.ProcessEnv = process.env, system = systemLocale): Language {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || system();
  return /^zh/i.test(locale) ? 'zh' : 'en';
}

function systemLocale(): string {
  return new Intl.DateTimeFormat().resolvedOptions().locale;
}
