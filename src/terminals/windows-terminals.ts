import { join } from 'node:path';

import { findProgram, type Machine } from './find-program.ts';

/**
 * Windows Terminal, then the console that every Windows has. The first reads a semicolon as the end of its command, also within
 * quotes, so it is left out where one is in the command.
 */
export async function findWindowsTerminals(machine: Machine, inside: readonly string[]): Promise<string[][]> {
  const found: string[][] = [];
  const modern = inside.some((word) => word.includes(';')) ? null : await findProgram('wt', machine);
  if (modern !== null) found.push([modern, '-w', 'new', 'new-tab', '--']);
  const console =
    (await findProgram('conhost', machine)) ?? (await findProgram(systemConsole(machine), machine));
  if (console !== null) found.push([console, '--']);
  return found;
}

function systemConsole({ environment }: Machine): string {
  const key = Object.keys(environment).find((variable) => variable.toUpperCase() === 'SYSTEMROOT');
  return join((key === undefined ? '' : environment[key]) || 'C:\\Windows', 'System32', 'conhost.exe');
}
