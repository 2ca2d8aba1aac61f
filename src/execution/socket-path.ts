import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What fits into a socket address everywhere, with its closing zero. */
const longestPathBytes = 103;

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
  const elsewhere = await mkdtemp(join(tmpdir(), 'hob-'));
  return {
    socketPath: join(elsewhere, 'executor.sock'),
    cleanUp: () => rm(elsewhere, { recursive: true, force: true }),
  };
}
