import { type InterpretedLanguage, interpretedLanguages, languageRecords } from '../languages.ts';
import type { Script } from '../script.ts';
import { type InterpreterFinder, interpreterLanguage, type Search } from './resolve-command.ts';

/** The interpreter of a language on this machine, and the scripts that need it. */
export interface SurveyedRuntime {
  readonly language: InterpretedLanguage;
  readonly search: Search;
  /** Duration of the search. */
  readonly tookMs: number;
  readonly users: readonly Script[];
}

/** Searches the interpreters of all languages in parallel. */
export function surveyRuntimes(
  scripts: readonly Script[],
  { finder, platform }: { finder: InterpreterFinder; platform: NodeJS.Platform },
): Promise<SurveyedRuntime[]> {
  const languages = interpretedLanguages.filter(
    (name) => (languageRecords[name].platform ?? platform) === platform,
  );
  return Promise.all(
    languages.map(async (language) => {
      const beganMs = performance.now();
      const search = await finder.find(language, null);
      const users = scripts.filter((script) => interpreterLanguage(script.runtime.language) === language);
      return { language, search, tookMs: performance.now() - beganMs, users };
    }),
  );
}
