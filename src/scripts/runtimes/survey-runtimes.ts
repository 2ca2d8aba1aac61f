import type { ScriptLanguage } from '../languages.ts';
import type { Script } from '../script.ts';
import type { InterpreterFinder, Search } from './find-interpreter.ts';
import { type InterpretedLanguage, interpreterSpecs } from './interpreters.ts';

/** The interpreter of a language on this machine, and the scripts that need it. */
export interface SurveyedRuntime {
  readonly language: InterpretedLanguage;
  readonly search: Search;
  /** Duration of the search. */
  readonly tookMs: number;
  readonly users: readonly Script[];
}

const onWindowsOnly: readonly InterpretedLanguage[] = ['autohotkey'];

const interpretedLanguages = Object.keys(interpreterSpecs).filter(
  (name): name is InterpretedLanguage => name in interpreterSpecs,
);

/** Searches the interpreters of all languages in parallel. */
export function surveyRuntimes(
  scripts: readonly Script[],
  { finder, platform }: { finder: InterpreterFinder; platform: NodeJS.Platform },
): Promise<SurveyedRuntime[]> {
  const languages = interpretedLanguages.filter(
    (language) => platform === 'win32' || !onWindowsOnly.includes(language),
  );
  return Promise.all(
    languages.map(async (language) => {
      const beganMs = performance.now();
      const search = await finder.find(language, null);
      const users = scripts.filter((script) => interpreterOf(script) === language);
      return { language, search, tookMs: performance.now() - beganMs, users };
    }),
  );
}

/** The interpreter language of a script; null if it needs none. */
export function interpreterOf({ runtime }: Pick<Script, 'runtime'>): InterpretedLanguage | null {
  const language: ScriptLanguage = runtime.language === 'typescript' ? 'node.js' : runtime.language;
  return interpretedLanguages.find((name) => name === language) ?? null;
}
