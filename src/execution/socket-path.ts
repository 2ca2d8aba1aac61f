import { lstat, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { forOthers } from '../shared/private-files.ts';

/** What fits into a socket address everywhere, with its closing zero. */
const longestPathBytes = 103;

const folderStart = 'hob-';
const socketName = 'executor.sock';

interface SocketPlace {
  socketPath: string;
  cleanUp(): Promise<void>;
}

/**
 * A place for a socket: in `folder`, or, where that path is too long for the operating system, in a new private folder of
 * the temporary one. On Windows sockets are named pipes and have no folder.
 */
export async function chooseSocketPath(folder: string, name: string): Promise<SocketPlace> {
  if (process.platform === 'win32')
    return { socketPath: `\\\\.\\pipe\\hob-${name}`, cleanUp: async () => {} };
  const direct = join(folder, `${name}.sock`);
  if (Buffer.byteLength(direct) <= longestPathBytes) {
    return { socketPath: direct, cleanUp: () => rm(direct, { force: true }) };
  }
  const elsewhere = await mkdtemp(join(tmpdir(), folderStart));
  return {
    socketPath: join(elsewhere, socketName),
    cleanUp: () => removeElsewhere(elsewhere),
  };
}

/** Removes the folder outside of the home that an executor which was killed had for its socket, by what its address says. */
export async function removeSocketFolder(address: string): Promise<void> {
  const socketPath = /"socket":"([^"]+)"/.exec(address)?.[1] ?? '';
  const folder = dirname(socketPath);
  if (basename(socketPath) === socketName && basename(folder).startsWith(folderStart))
    await removeElsewhere(folder);
}

/**
 * Others may write where the folder is. By now it may have been cleared away, and somebody else may have taken its name: only what is
 * ours alone is touched, and of that only what we have put there.
 */
async function removeElsewhere(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  const isOurs = found?.isDirectory() && found.uid === process.geteuid?.() && (found.mode & forOthers) === 0;
  if (!isOurs) return;
  await rm(join(folder, socketName), { force: true });
  // Whatever else is in it is not ours to remove.
  await rmdir(folder).catch(() => {});
}
