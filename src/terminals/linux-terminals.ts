import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';

import { type Emulator, findEmulator, orderEmulators, unfitEmulators } from './emulators.ts';
import { findProgram } from './find-program.ts';
import type { Command, Desktop } from './terminal-command.ts';

/** The emulators of this machine, the one its user would expect first. */
export async function* findLinuxTerminals(desktop: Desktop): AsyncGenerator<Command> {
  const { environment } = desktop;
  const chooser = await findProgram('xdg-terminal-exec', desktop);
  // Older ones do not know `--`, and what follows never looks like an option.
  if (chooser !== null) yield [chooser];
  yield* await knownCommand(environment.TERMINAL ?? '', desktop);
  yield* await alternative(desktop);
  for (const { name } of orderEmulators(environment.XDG_CURRENT_DESKTOP ?? '')) {
    yield* await knownCommand(name, desktop);
  }
}

/** How an emulator is called that is given by its name or path; empty when it is not known, or of no use here. */
export async function knownCommand(program: string, desktop: Desktop): Promise<Command[]> {
  const emulator = findEmulator(basename(program));
  if (emulator === undefined || !isOfUse(emulator, desktop)) return [];
  const path = await findProgram(program, desktop);
  return path === null ? [] : [[path, ...emulator.before]];
}

/** What Debian and its relatives call the emulator of the system. It takes `-e`, but not all that stand behind it do that well. */
async function alternative(desktop: Desktop): Promise<Command[]> {
  const path = await findProgram('x-terminal-emulator', desktop);
  if (path === null) return [];
  const target = await realpath(path).catch(() => path);
  const name = basename(target).replace(/\.wrapper$/, '');
  if (unfitEmulators.includes(name)) return [];
  const emulator = findEmulator(name);
  if (emulator !== undefined && !isOfUse(emulator, desktop)) return [];
  return emulator?.name === basename(target) ? [[target, ...emulator.before]] : [[path, '-e']];
}

function isOfUse({ only, reads }: Emulator, { environment, inside }: Desktop): boolean {
  if (reads !== undefined && inside.some((word) => word.includes(reads))) return false;
  if (only === 'x11') return isSet(environment.DISPLAY);
  if (only === 'wayland') return isSet(environment.WAYLAND_DISPLAY);
  return true;
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '';
}
