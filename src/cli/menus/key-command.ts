import type { Accelerator } from './accelerator.ts';

/** A command for a key. */
export interface KeyCommand {
  /** Name of the binding, unique for the script and the home. */
  readonly id: string;
  readonly label: string;
  readonly command: string;
}

/** The key bindings of a desktop. */
export interface KeyBindings {
  /** The command or the setting that uses the keys, other than this command; null if they are free. */
  findUser(keys: Accelerator, own: KeyCommand): Promise<string | null>;
  bind(keys: Accelerator, command: KeyCommand): Promise<void>;
  unbind(keys: Accelerator, command: KeyCommand): Promise<void>;
}

/** Runs a tool of the desktop, and returns its output. */
export type Tool = (program: string, ...args: string[]) => Promise<string>;
