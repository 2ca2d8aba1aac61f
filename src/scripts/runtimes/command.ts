import { delimiter } from 'node:path';

import type { WarmLanguage } from '../../contract/values.ts';
import type { Text } from '../../shared/text.ts';

/** The command that starts a script, without the parameter file, which is the last argument. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Environment variables that the language needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders to append to variables that list folders, after those of the user and of the manifest. */
  readonly lastFolders?: Readonly<Record<string, string>>;
  /** How to pass the parameter file, if not as the last argument: not at all, or in a command line for `cmd`. */
  readonly parameterFile?: 'none' | 'cmd';
  /** Absent: every run starts a new interpreter. */
  readonly warm?: WarmStart;
}

/** How a warm interpreter can run the command. */
export interface WarmStart {
  readonly language: WarmLanguage;
  /** Arguments before the entry. */
  readonly options: readonly string[];
  /** The entry as in the arguments. */
  readonly entry: string;
}

/** The arguments of a command, including the parameter file. */
export function argumentsOf(
  command: Command,
  parameterFile: string,
): { args: string[]; isVerbatim: boolean } {
  switch (command.parameterFile) {
    case 'none':
      return { args: [...command.args], isVerbatim: false };
    case 'cmd': {
      // `cmd /s /c` removes only the outer quotes. The paths come from Hob and contain no quotes.
      const line = [...command.args, parameterFile].map((argument) => `"${argument}"`).join(' ');
      return { args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true };
    }
    default:
      return { args: [...command.args, parameterFile], isVerbatim: false };
  }
}

/**
 * Passes the parameter file to programs that a script starts. Not for languages that may start warm: a warm interpreter gets its
 * environment before the run, and a cold start must have the same one.
 */
export function parameterFileVariable(command: Command, path: string): Record<string, string> {
  return command.warm === undefined && command.parameterFile !== 'none' ? { HOB_PARAMETER_FILE: path } : {};
}

/** Variables to add to the environment of the user: those of the language and of the manifest. */
export function ownEnvironmentOf(
  command: Command,
  user: Readonly<Record<string, string>>,
  manifest: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = { ...command.env, ...manifest };
  for (const [variable, folder] of Object.entries(command.lastFolders ?? {})) {
    // Windows calls it `Path` and ignores case.
    const isAsWritten = variable in env || variable in user;
    const name = isAsWritten
      ? variable
      : ([user, env].flatMap(Object.keys).find((each) => each.toUpperCase() === variable) ?? variable);
    const before = env[name] ?? user[name] ?? '';
    // Without a PATH, a shell searches the usual folders; a PATH with only this folder would prevent that.
    if (before === '' && variable === 'PATH') continue;
    env[name] = before === '' ? folder : `${before}${delimiter}${folder}`;
  }
  return env;
}

/** Why a script cannot be started, with the next step. */
export interface Unavailable {
  readonly kind: 'unavailable';
  readonly message: Text;
}

export type Resolution = { readonly kind: 'command'; readonly command: Command } | Unavailable;

export function unavailable(en: string, zh: string): Unavailable {
  return { kind: 'unavailable', message: { en, zh } };
}

export function command(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  parameterFile?: Command['parameterFile'],
): Resolution & { kind: 'command' } {
  return { kind: 'command', command: { file, args, env, ...(parameterFile && { parameterFile }) } };
}
