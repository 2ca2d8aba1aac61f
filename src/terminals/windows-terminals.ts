import { join } from 'node:path';

import { findProgram } from './find-program.ts';
import type { Command, Desktop } from './terminal-command.ts';

/** Windows Terminal ends a command at this character, even within quotes. */
const separator = ';';

/** Windows Terminal, then the built-in console. */
export async function* findWindowsTerminals(desktop: Desktop): AsyncGenerator<Command> {
  const isSplit = desktop.inside.some((word) => word.includes(separator));
  const modern = isSplit ? null : await findProgram('wt', desktop);
  if (modern !== null) yield [modern, '-w', 'new', 'new-tab', '--'];
  const plain =
    (await findProgram('conhost', desktop)) ?? (await findProgram(systemConsole(desktop), desktop));
  if (plain !== null) yield [plain, '--'];
}

function systemConsole({ environment }: Desktop): string {
  const key = Object.keys(environment).find((variable) => variable.toUpperCase() === 'SYSTEMROOT');
  return join((key === undefined ? '' : environment[key]) || 'C:\\Windows', 'System32', 'conhost.exe');
}
