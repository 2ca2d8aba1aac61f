import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** What fits into a socket address everywhere, with its closing zero. */
const longestPathBytes = 103;

const folderStart = 'hob-';

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
    socketPath: join(elsewhere, 'executor.sock'),
    cleanUp: () => rm(elsewhere, { recursive: true, force: true }),
  };
}

/** Removes the folder outside of the home that an executor which was killed had for its socket, by what its address says. */
export async function removeSocketFolder(address: string): Promise<void> {
  const folder = dirname(/"socket":"([^"]+)"/.exec(address)?.[1] ?? '');
  if (dirname(folder) === tmpdir() && basename(folder).startsWith(folderStart)) {
    await rm(folder, { recursive: true, force: true });
  }
}
