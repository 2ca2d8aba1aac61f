import type { ScriptLanguage } from '../languages.ts';
import type { Script } from '../script.ts';
import type { InterpreterFinder, Search } from './find-interpreter.ts';
import { type InterpretedLanguage, interpreterSpecs } from './interpreters.ts';

/** What there is of a language on this machine, and who needs it. */
export interface SurveyedRuntime {
  readonly language: InterpretedLanguage;
  readonly search: Search;
  /** How long it took to find out. */
  readonly tookMs: number;
  readonly users: readonly Script[];
}

const onWindowsOnly: readonly InterpretedLanguage[] = ['autohotkey'];

const interpretedLanguages = Object.keys(interpreterSpecs).filter(
  (name): name is InterpretedLanguage => name in interpreterSpecs,
);

/** Looks for every language that there can be on this machine, at the same time. */
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

/** Which interpreter a script is started with; null for none. */
export function interpreterOf({ runtime }: Pick<Script, 'runtime'>): InterpretedLanguage | null {
  const language: ScriptLanguage = runtime.language === 'typescript' ? 'node.js' : runtime.language;
  return interpretedLanguages.find((name) => name === language) ?? null;
}
