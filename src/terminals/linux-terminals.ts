import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';

import { type Emulator, findEmulator, orderEmulators, unsuitableEmulators } from './emulators.ts';
import { findProgram } from './find-program.ts';
import type { Command, Desktop } from './terminal-command.ts';

/** The installed emulators, the preferred one first. */
export async function* findLinuxTerminals(desktop: Desktop): AsyncGenerator<Command> {
  const { environment } = desktop;
  const chooser = await findProgram('xdg-terminal-exec', desktop);
  // Older versions do not support `--`, and the command never looks like an option.
  if (chooser !== null) yield [chooser];
  yield* await knownCommand(environment.TERMINAL ?? '', desktop);
  yield* await alternative(desktop);
  for (const { name } of orderEmulators(environment.XDG_CURRENT_DESKTOP ?? '')) {
    yield* await knownCommand(name, desktop);
  }
}

/** The command for an emulator, given by name or path; empty if it is unknown or not usable here. */
export async function knownCommand(program: string, desktop: Desktop): Promise<Command[]> {
  const emulator = findEmulator(basename(program));
  if (emulator === undefined || !isOfUse(emulator, desktop)) return [];
  const path = await findProgram(program, desktop);
  return path === null ? [] : [[path, ...emulator.before]];
}

/** The x-terminal-emulator of Debian-based systems. It accepts `-e`, but some of its possible targets handle that badly. */
async function alternative(desktop: Desktop): Promise<Command[]> {
  const path = await findProgram('x-terminal-emulator', desktop);
  if (path === null) return [];
  const target = await realpath(path).catch(() => path);
  const name = basename(target).replace(/\.wrapper$/, '');
  if (unsuitableEmulators.includes(name)) return [];
  const emulator = findEmulator(name);
  if (emulator !== undefined && !isOfUse(emulator, desktop)) return [];
  return emulator?.name === basename(target) ? [[target, ...emulator.before]] : [[path, '-e']];
}

function isOfUse({ only, interprets }: Emulator, { environment, inside }: Desktop): boolean {
  if (interprets !== undefined && inside.some((word) => word.includes(interprets))) return false;
  if (only === 'x11') return isSet(environment.DISPLAY);
  if (only === 'wayland') return isSet(environment.WAYLAND_DISPLAY);
  return true;
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '';
}
