import { closeSync, constants, mkdtempSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The longest path that fits into a socket address on every system, together with its terminating zero. */
const longestPathBytes = 103;

/** The socket path of the executor with this name. On Windows this is a named pipe, which is in no folder. */
export function socketPathIn(folder: string, name: string): string {
  return process.platform === 'win32' ? `\\\\.\\pipe\\hob-${name}` : join(folder, `${name}.sock`);
}

/**
 * Calls `use` with a path that leads to the socket and fits into a socket address. The path is valid only during the
 * call. That is sufficient: `listen` and `connect` of `node:net` make their system call before they return.
 */
export function throughShortPath<Result>(socketPath: string, use: (path: string) => Result): Result {
  if (process.platform === 'win32' || Buffer.byteLength(socketPath) <= longestPathBytes)
    return use(socketPath);
  return process.platform === 'linux' ? throughHandle(socketPath, use) : throughLink(socketPath, use);
}

/** On Linux, `/proc/self/fd/<n>` is a short path to an open folder of this process. */
function throughHandle<Result>(socketPath: string, use: (path: string) => Result): Result {
  const folder = openSync(dirname(socketPath), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return use(`/proc/self/fd/${folder}/${basename(socketPath)}`);
  } finally {
    closeSync(folder);
  }
}

/**
 * Other systems follow a link in a private folder. The socket itself is never in the temporary folder, where cleaners
 * would remove it.
 */
export function throughLink<Result>(socketPath: string, use: (path: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'hob-'));
  try {
    const link = join(folder, 'to');
    symlinkSync(dirname(socketPath), link);
    return use(join(link, basename(socketPath)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
