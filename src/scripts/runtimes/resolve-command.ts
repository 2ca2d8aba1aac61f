import { join } from 'node:path';

import {
  type InterpretedLanguage,
  installAdvice,
  interpreterLanguage,
  languageRecord,
  type ScriptLanguage,
} from '../languages.ts';
import type { Script } from '../script.ts';
import { type Command, command, type Resolution, type Unavailable, unavailable } from './command.ts';
import type { Interpreter, InterpreterFinder } from './find-interpreter.ts';
import { parseVersionRange, satisfies } from './version-range.ts';

export interface RuntimeHost {
  readonly finder: InterpreterFinder;
  readonly env: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
}

/** Returns how to start this script on this machine, or what is missing. `python` is the interpreter of its environment. */
export async function resolveCommand(
  script: Script,
  host: RuntimeHost,
  { python }: { python?: string } = {},
): Promise<Resolution> {
  const { language } = script.runtime;
  const { platform, open, start, warm } = languageRecord(language);
  const entry = join(script.folder, script.runtime.entry);
  if (platform !== undefined && host.platform !== platform) {
    return unavailable(
      `Scripts in ${language} run on Windows only.`,
      `${language} 脚本只能在 Windows 上运行。`,
    );
  }
  if (open !== undefined) return open(entry, host);
  const found = python === undefined ? await findInterpreter(script, host) : { path: python, version: null };
  if ('kind' in found) return found;
  const { args, env } = start?.(entry, { platform: host.platform, version: found.version }) ?? {
    args: [entry],
  };
  const resolution = command(found.path, args, env);
  // Windows has no warm interpreters.
  if (warm === undefined || host.platform === 'win32') return resolution;
  return {
    kind: 'command',
    command: { ...resolution.command, warm: { language: warm, options: args.slice(0, -1), entry } },
  };
}

/** Adds the SDK to a command of this language, if there is one. */
export function withSdk(command: Command, language: ScriptLanguage, env: Command['env']): Command {
  return languageRecord(language).addSdk?.(command, env) ?? command;
}

async function findInterpreter(
  script: Script,
  { finder, platform }: RuntimeHost,
): Promise<{ path: string; version: string | null } | Unavailable> {
  const { language, languageVersion } = script.runtime;
  const name = interpreterLanguage(language);
  if (name === null) throw new Error(`${language} has no interpreter`);
  // The script was written for the environment in its folder.
  const own = languageRecord(language).ownInterpreter?.(script.folder, platform) ?? null;
  if (own !== null) {
    return rejectOwnPython(script, await finder.probe(name, own)) ?? { path: own, version: null };
  }
  const search = await finder.find(name, languageVersion);
  return search.kind === 'found' ? search.interpreter : missing(name, languageVersion, search.seen);
}

/** Returns why a script cannot run with its own Python, or null. `interpreter` is null if that Python does not start. */
export function rejectOwnPython(
  { folder, runtime }: Pick<Script, 'folder' | 'runtime'>,
  interpreter: Interpreter | null,
): Unavailable | null {
  if (interpreter === null) {
    return unavailable(
      `The Python in ${join(folder, '.venv')} does not start. Create that environment again.`,
      `${join(folder, '.venv')} 中的 Python 无法启动，请重新创建该环境。`,
    );
  }
  const { languageVersion } = runtime;
  const range = languageVersion === null ? null : parseVersionRange(languageVersion);
  if (range === null || satisfies(interpreter.version, range)) return null;
  return missing('python', languageVersion, [interpreter]);
}

function missing(
  language: InterpretedLanguage,
  requirement: string | null,
  seen: readonly Interpreter[],
): Unavailable {
  const install = installAdvice(language);
  if (seen.length === 0) {
    return unavailable(
      `${language} is not installed or not on PATH. ${install.en}`,
      `PATH 中没有找到 ${language}。${install.zh}`,
    );
  }
  const there = seen.map(({ path, version }) => `${version} (${path})`).join(', ');
  return unavailable(
    `The script needs ${language} ${requirement}, but only ${there} is installed. ${install.en}`,
    `脚本需要 ${language} ${requirement}，但只找到 ${there}。${install.zh}`,
  );
}
