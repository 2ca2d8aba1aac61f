import { delimiter } from 'node:path';

import type { Text } from '../../shared/text.ts';

/** How to start a script: everything but the parameter file, which comes last. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** What the language needs in its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders that come last in variables which list folders, behind those of the user and of the manifest. */
  readonly lastFolders?: Readonly<Record<string, string>>;
  /** How it gets the parameter file, if not as its last argument: not at all, or in a line for Windows' `cmd`. */
  readonly parameterFile?: 'none' | 'cmd';
  /** Absent: it is always started anew. */
  readonly warm?: WarmStart;
}

/** How the command can be carried out by an interpreter that is started already. */
export interface WarmStart {
  readonly language: 'python' | 'node.js';
  /** What stands before the entry in the arguments. */
  readonly options: readonly string[];
  /** As it stands in the arguments. */
  readonly entry: string;
}

/** The arguments of a command, with the parameter file in its place. */
export function argumentsOf(
  command: Command,
  parameterFile: string,
): { args: string[]; isVerbatim: boolean } {
  switch (command.parameterFile) {
    case 'none':
      return { args: [...command.args], isVerbatim: false };
    case 'cmd': {
      // `cmd /s /c` takes off the outer quotes and leaves the rest alone; the paths are ours and can hold no quotes.
      const line = [...command.args, parameterFile].map((argument) => `"${argument}"`).join(' ');
      return { args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true };
    }
    default:
      return { args: [...command.args, parameterFile], isVerbatim: false };
  }
}

/**
 * The parameter file for programs that a script starts. Not for languages that may start warm: what waits for its run has its
 * environment before there is a run, and a cold start is to have no other.
 */
export function parameterFileVariable(command: Command, path: string): Record<string, string> {
  return command.warm === undefined && command.parameterFile !== 'none' ? { HOB_PARAMETER_FILE: path } : {};
}

/** What the environment of a command has beside that of the user: what the language needs, and what the manifest says. */
export function ownEnvironmentOf(
  command: Command,
  user: Readonly<Record<string, string>>,
  manifest: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = { ...command.env, ...manifest };
  for (const [variable, folder] of Object.entries(command.lastFolders ?? {})) {
    // Windows has a `Path`, and knows no difference.
    const isAsWritten = variable in env || variable in user;
    const name = isAsWritten
      ? variable
      : ([user, env].flatMap(Object.keys).find((each) => each.toUpperCase() === variable) ?? variable);
    const before = env[name] ?? user[name] ?? '';
    // A PATH of one folder would be worse than none: then a shell looks in the usual places.
    if (before === '' && variable === 'PATH') continue;
    env[name] = before === '' ? folder : `${before}${delimiter}${folder}`;
  }
  return env;
}

/** A script that cannot be started, with what to do about it. */
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
): Resolution {
  return { kind: 'command', command: { file, args, env, ...(parameterFile && { parameterFile }) } };
}
