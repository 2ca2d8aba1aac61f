import type { Language } from '../shared/text.ts';

/** The language of the person at the desk, by the variables that every desktop sets; without any of them, by the system's own word. */
export function userLanguage(env: NodeJS.ProcessEnv = process.env, system = systemLocale): Language {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || system();
  return /^zh/i.test(locale) ? 'zh' : 'en';
}

function systemLocale(): string {
  return new Intl.DateTimeFormat().resolvedOptions().locale;
}
