import { findMissingBinaries } from '../../scripts/runtimes/find-binaries.ts';
import { resolveCommand } from '../../scripts/runtimes/resolve-command.ts';
import { interpreterOf } from '../../scripts/runtimes/survey-runtimes.ts';
import type { Script } from '../../scripts/script.ts';
import type { Text } from '../../shared/text.ts';
import { type Finding, splitAdvice } from '../finding.ts';
import { nameSome } from '../name-some.ts';
import type { Patient } from '../patient.ts';

const windowsLanguages = ['bat', 'autohotkey'];

/** Programs and versions that scripts need and this machine lacks. */
export async function checkNeeds(patient: Patient): Promise<Finding[]> {
  const { scripts } = await patient.scripts();
  const lacks = new Map<string, { message: Text; users: Script[] }>();
  for (const script of scripts) {
    // A language that is not there at all was told of already, once for all scripts.
    if (await lacksLanguage(script, patient)) continue;
    const { finder, environment: env, platform } = patient;
    const resolution =
      (await findMissingBinaries(script, env)) ?? (await resolveCommand(script, { finder, env, platform }));
    if (resolution.kind !== 'unavailable') continue;
    const { message } = resolution;
    const others = lacks.get(message.en)?.users ?? [];
    lacks.set(message.en, { message, users: [...others, script] });
  }
  return [...lacks.values()].map(({ message, users }) => {
    const { what, next } = splitAdvice(message);
    // A script for another system is there for whoever shares the folder.
    const isForeign = users.every(({ runtime }) => windowsLanguages.includes(runtime.language));
    const names = nameSome(users.map(({ name }) => name));
    return {
      area: 'scripts',
      state: isForeign ? 'note' : 'problem',
      what: { en: `${names.en}: ${what.en}`, zh: `${names.zh}：${what.zh}` },
      next,
    };
  });
}

async function lacksLanguage(script: Script, { finder, platform }: Patient): Promise<boolean> {
  const language = interpreterOf(script);
  if (language === null || (language === 'autohotkey' && platform !== 'win32')) return false;
  const search = await finder.find(language, null);
  return search.kind === 'none';
}
