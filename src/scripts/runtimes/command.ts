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
