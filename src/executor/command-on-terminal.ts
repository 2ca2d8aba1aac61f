import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { isAbsolute } from 'node:path';

import type { RunSpec } from '../execution/messages.ts';

/**
 * Makes the terminal whose name comes first its own, as whoever leads a session does by opening one, and becomes the script.
 * Without the first line, all that a script leaves running in a window would be ended by SIGHUP together with the script.
 */
const onTerminal = `trap '' HUP
exec <>"$0" >&0 2>&0
exec "$@"`;

/** What the kernel looks at to find out what a file is. */
const startBytes = 256;

type Command = Pick<RunSpec, 'file' | 'args' | 'env'>;

/** The command that runs another one on a terminal. Throws when that one could not be started. */
export function commandOnTerminal({ file, args, env }: Command, terminal: string): Command {
  // The shell in between would make an exit code of its own out of a program that is not there.
  checkProgram(file);
  const words = ['-c', onTerminal, terminal, ...setOdd(env, file), file, ...args];
  return { file: '/bin/sh', args: words, env };
}

function checkProgram(file: string): void {
  if (!isAbsolute(file)) return;
  accessSync(file, constants.X_OK);
  const interpreter = /^#![ \t]*([^\s\0]+)/.exec(readStart(file))?.[1] ?? '';
  if (isAbsolute(interpreter)) accessSync(interpreter, constants.X_OK);
}

function readStart(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const start = Buffer.alloc(startBytes);
    return start.toString('utf8', 0, readSync(fd, start));
  } catch {
    // Not everything that can be started can be read.
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Many a shell drops variables that it could not name itself, exported functions of bash among them. This sets them again. */
function setOdd(env: Readonly<Record<string, string>>, file: string): string[] {
  const odd = Object.entries(env).filter(([name]) => !/^[a-z_][a-z0-9_]*$/i.test(name));
  // A path with this sign in it would be taken for a variable, too.
  if (odd.length === 0 || file.includes('=')) return [];
  return ['/usr/bin/env', '--', ...odd.map(([name, value]) => `${name}=${value}`)];
}
