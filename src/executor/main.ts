import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { type ExecutorAddress, executorFile, protocolVersion } from '../execution/messages.ts';
import { chooseSocketPath } from '../execution/socket-path.ts';
import { isAlive } from '../shared/is-alive.ts';
import { makePrivateFolder, replacePrivateFile } from '../shared/private-files.ts';
import { readVersion } from '../shared/version.ts';
import { FifoPool } from './fifo-pool.ts';
import { ExecutorServer } from './server.ts';

/** The entry of the executor process: started by the service with the home it works for, and gone when it is not needed. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { home: { type: 'string' } } });
  if (values.home === undefined) throw new Error('--home is missing');
  const folder = join(values.home, 'executor');
  await makePrivateFolder(folder, { existing: true });
  await removeLeftovers(folder);

  const fifos = process.platform === 'win32' ? null : new FifoPool(join(folder, `${process.pid}-pipes`));
  await fifos?.open();
  const { socketPath, cleanUp } = await chooseSocketPath(
    folder,
    `${process.pid}-${randomBytes(6).toString('hex')}`,
  );
  const server = new ExecutorServer({
    socketPath,
    version: readVersion(),
    fifos,
    onIdle: () => void leave(),
  });
  await server.listen();
  const address: ExecutorAddress = {
    pid: process.pid,
    socket: socketPath,
    secret: server.secret,
    protocol: protocolVersion,
  };
  const addressPath = join(values.home, executorFile);
  await replacePrivateFile(addressPath, JSON.stringify(address));
  // The service waits for this line, then stops listening to us: everything else goes through the socket.
  process.stdout.write('ready\n');

  // A Ctrl-C in the terminal that started the service is meant for the service, which decides what becomes of the runs.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  // Whatever else is wrong, the runs must be seen to their end.
  process.on('unhandledRejection', (reason) => process.stderr.write(`unhandled: ${String(reason)}\n`));
  process.stdout.on('error', () => {});

  async function leave(): Promise<void> {
    server.close();
    // Another executor may have taken over while this one finished its runs.
    const current = await readFile(addressPath, 'utf8').catch(() => '');
    if (current.includes(server.secret)) await rm(addressPath, { force: true });
    await fifos?.close();
    await cleanUp();
    process.exit(0);
  }
}

/** Sockets and pipes of executors that were killed: their names begin with the id of a process that is gone. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
