import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { isAbsolute } from 'node:path';

import type { RunSpec } from '../execution/messages.ts';

/**
 * Opens the terminal given as `$0`, which makes it the controlling terminal of this session leader, then executes the
 * script. Without the first line, SIGHUP would end all processes that a script leaves running in a window together with
 * the script.
 */
const onTerminal = `trap '' HUP
exec <>"$0" >&0 2>&0
exec "$@"`;

/** The number of bytes that the kernel reads to recognize the type of a file. */
const startBytes = 256;

type Command = Pick<RunSpec, 'file' | 'args' | 'env'>;

/** The command that runs another one on a terminal. Throws if the other command cannot be started. */
export function commandOnTerminal({ file, args, env }: Command, terminal: string): Command {
  // Check first: if the program were missing, the shell in between would exit with a code of its own.
  checkProgram(file);
  const words = ['-c', onTerminal, terminal, ...restoreOdd(env, file), file, ...args];
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
    // Some programs can be started but not read.
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Many shells drop variables whose names are not valid in a shell, for example exported functions of bash. This sets
 * them again.
 */
function restoreOdd(env: Readonly<Record<string, string>>, file: string): string[] {
  const odd = Object.entries(env).filter(([name]) => !/^[a-z_][a-z0-9_]*$/i.test(name));
  // `env` would take a path that contains this character for a variable.
  if (odd.length === 0 || file.includes('=')) return [];
  return ['/usr/bin/env', '--', ...odd.map(([name, value]) => `${name}=${value}`)];
}
