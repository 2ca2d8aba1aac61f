import type { Machine } from './find-program.ts';

/** An emulator and its arguments: the command for its window is appended as it is. */
export type Command = readonly string[];

/** A machine on which a window is wanted. */
export interface Desktop extends Machine {
  /** What is known of the command for the window: some emulators do not pass everything on as it is. */
  readonly inside: readonly string[];
}
