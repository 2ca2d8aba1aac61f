import { findMissingBinaries } from '../../scripts/runtimes/find-binaries.ts';
import { ownPython, resolveCommand } from '../../scripts/runtimes/resolve-command.ts';
import { interpreterOf } from '../../scripts/runtimes/survey-runtimes.ts';
import type { Script } from '../../scripts/script.ts';
import type { Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, splitAdvice } from '../finding.ts';
import { nameSome } from '../name-some.ts';
import { judgeOwnPython } from './judge-own-python.ts';

const windowsLanguages = ['bat', 'autohotkey'];

/** Checks the programs and versions that scripts need. */
export async function checkNeeds(context: DoctorContext): Promise<Finding[]> {
  const { scripts } = await context.scripts();
  const lacks = new Map<string, { message: Text; isSure: boolean; users: Script[] }>();
  for (const script of scripts) {
    // checkRuntimes reports a missing language once for all scripts.
    if (await lacksLanguage(script, context)) continue;
    const lack = await findLack(script, context);
    if (lack === null) continue;
    const { message, isSure } = lack;
    const others = lacks.get(message.en)?.users ?? [];
    lacks.set(message.en, { message, isSure, users: [...others, script] });
  }
  return [...lacks.values()].map(({ message, isSure, users }) => {
    const { what, next } = splitAdvice(message);
    // The folder may be shared with another operating system, so such a script is only a note.
    const isForeign = users.every(({ runtime }) => windowsLanguages.includes(runtime.language));
    const names = nameSome(users.map(({ name }) => name));
    return {
      area: 'scripts',
      state: isForeign || !isSure ? 'note' : 'problem',
      what: { en: `${names.en}: ${what.en}`, zh: `${names.zh}：${what.zh}` },
      next,
    };
  });
}

async function findLack(
  script: Script,
  context: DoctorContext,
): Promise<{ message: Text; isSure: boolean } | null> {
  const { finder, environment: env, platform, programs } = context;
  const missing = await findMissingBinaries(script, env);
  if (missing !== null) return { message: missing.message, isSure: true };
  const own = script.runtime.language === 'python' ? ownPython(script, platform) : null;
  if (own !== null) {
    const judgement = await judgeOwnPython(script, own);
    return judgement && { message: judgement.message, isSure: judgement.kind === 'unavailable' };
  }
  const resolution = await resolveCommand(script, { finder, env, platform });
  if (resolution.kind !== 'unavailable') return null;
  // The service may use an interpreter that hob doctor does not start.
  const language = interpreterOf(script);
  const unchecked = language === null ? [] : await programs.foreignInterpreters(finder, language);
  return { message: resolution.message, isSure: unchecked.length === 0 };
}

async function lacksLanguage(script: Script, { finder, platform }: DoctorContext): Promise<boolean> {
  const language = interpreterOf(script);
  if (language === null || (language === 'autohotkey' && platform !== 'win32')) return false;
  const search = await finder.find(language, null);
  return search.kind === 'none';
}
