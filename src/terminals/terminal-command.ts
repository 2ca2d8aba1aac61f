import type { Machine } from './find-program.ts';

/** An emulator and its arguments. The command to run in the window is appended unchanged. */
export type Command = readonly string[];

/** A machine on which to open a window. */
export interface Desktop extends Machine {
  /** The known words of the command: some emulators cannot pass on every character unchanged. */
  readonly inside: readonly string[];
}
