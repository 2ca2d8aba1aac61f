import { findMissingBinaries } from '../../scripts/runtimes/find-binaries.ts';
import { ownPython, resolveCommand } from '../../scripts/runtimes/resolve-command.ts';
import { interpreterOf } from '../../scripts/runtimes/survey-runtimes.ts';
import type { Script } from '../../scripts/script.ts';
import type { Text } from '../../shared/text.ts';
import { type Finding, splitAdvice } from '../finding.ts';
import { nameSome } from '../name-some.ts';
import type { Patient } from '../patient.ts';
import { judgeOwnPython } from './judge-own-python.ts';

const windowsLanguages = ['bat', 'autohotkey'];

/** Programs and versions that scripts need and this machine lacks. */
export async function checkNeeds(patient: Patient): Promise<Finding[]> {
  const { scripts } = await patient.scripts();
  const lacks = new Map<string, { message: Text; isSure: boolean; users: Script[] }>();
  for (const script of scripts) {
    // A language that is not there at all was told of already, once for all scripts.
    if (await lacksLanguage(script, patient)) continue;
    const lack = await findLack(script, patient);
    if (lack === null) continue;
    const { message, isSure } = lack;
    const others = lacks.get(message.en)?.users ?? [];
    lacks.set(message.en, { message, isSure, users: [...others, script] });
  }
  return [...lacks.values()].map(({ message, isSure, users }) => {
    const { what, next } = splitAdvice(message);
    // A script for another system is there for whoever shares the folder.
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
  patient: Patient,
): Promise<{ message: Text; isSure: boolean } | null> {
  const { finder, environment: env, platform, programs } = patient;
  const missing = await findMissingBinaries(script, env);
  if (missing !== null) return { message: missing.message, isSure: true };
  const own = script.runtime.language === 'python' ? ownPython(script, platform) : null;
  if (own !== null) {
    const judgement = await judgeOwnPython(script, own);
    return judgement && { message: judgement.message, isSure: judgement.kind === 'unavailable' };
  }
  const resolution = await resolveCommand(script, { finder, env, platform });
  if (resolution.kind !== 'unavailable') return null;
  // The service may run the script with an interpreter that is not started here.
  const language = interpreterOf(script);
  const unchecked = language === null ? [] : await programs.foreignInterpreters(finder, language);
  return { message: resolution.message, isSure: unchecked.length === 0 };
}

async function lacksLanguage(script: Script, { finder, platform }: Patient): Promise<boolean> {
  const language = interpreterOf(script);
  if (language === null || (language === 'autohotkey' && platform !== 'win32')) return false;
  const search = await finder.find(language, null);
  return search.kind === 'none';
}
