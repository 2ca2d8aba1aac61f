import type { Text } from '../../shared/text.ts';

/** How to start a script: everything but the parameter file, which comes last. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** What the language needs in its environment. */
  readonly env: Readonly<Record<string, string>>;
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
): Resolution {
  return { kind: 'command', command: { file, args, env } };
}
