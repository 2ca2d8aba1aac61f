import { randomBytes } from 'node:crypto';
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import {
  addressFileEnd,
  type ExecutorAddress,
  executorFolder,
  protocolVersion,
} from '../execution/messages.ts';
import { socketPathIn } from '../execution/socket-path.ts';
import { makePrivateFolder, replacePrivateFile } from '../shared/private-files.ts';
import { isAlive } from '../shared/process-stat.ts';
import { readVersion } from '../shared/version.ts';
import { Cgroups, cgroupAt, removeCgroups } from './cgroups.ts';
import { inherit, Journal, type Legacy } from './journal.ts';
import { NativeProcesses } from './native/processes.ts';
import { RunProcesses } from './run-processes.ts';
import { ExecutorServer } from './server.ts';
import { terminate } from './terminate.ts';
import { Windows } from './windows.ts';

/** No process reads the output of these scripts or waits for their exit any more; they get a moment to clean up. */
const orphanGraceMs = 1000;

/**
 * The entry of the executor process. The service starts it with the home it works for; it exits when it is not needed
 * any more.
 */
async function main(): Promise<void> {
  closeInherited();
  const { values } = parseArgs({ options: { home: { type: 'string' }, native: { type: 'string' } } });
  if (values.home === undefined) throw new Error('--home is missing');
  const folder = join(values.home, executorFolder);
  await makePrivateFolder(folder, { existing: true });

  const instance = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const processes = values.native === 'no' ? null : NativeProcesses.load();
  processes?.adoptOrphans();
  const socketPath = socketPathIn(folder, instance);
  const cgroups = Cgroups.open(`hob-${instance}`);
  const windowProgram = fileURLToPath(new URL('../terminals/window/main.js', import.meta.url));
  const pageProgram = fileURLToPath(new URL('../terminals/page/main.js', import.meta.url));
  const windows = new Windows({
    program: [process.execPath, windowProgram],
    pageProgram: [process.execPath, pageProgram],
    processes,
    socketPath,
  });
  const journal = new Journal(folder, instance, cgroups?.folder ?? null);
  const server = new ExecutorServer({
    socketPath,
    instance,
    version: readVersion(),
    processes,
    cgroups,
    windows,
    warmPrograms: { python: warmProgram('python/start'), 'node.js': warmProgram('node-host.cjs') },
    journal,
    inherit: takeOver,
    onIdle: () => void shutDown(),
  });
  // Take over from killed executors first: a lock that one of their runs holds must not be given to a new run
  // meanwhile.
  await takeOver();
  await removeLeftovers(folder);
  await server.listen();
  const address: ExecutorAddress = {
    pid: process.pid,
    instance,
    version: readVersion(),
    protocol: protocolVersion,
    socket: socketPath,
    secret: server.secret,
  };
  const addressPath = join(folder, `${instance}${addressFileEnd}`);
  await replacePrivateFile(addressPath, JSON.stringify(address));
  // The service waits for this line, and then stops reading our output: all messages go through the socket.
  process.stdout.write('ready\n');

  // Ctrl-C in the terminal that started the service is meant for the service, which decides whether the runs continue.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  // After any other failure, the runs must still be supervised until their end.
  process.on('unhandledRejection', (reason) => process.stderr.write(`unhandled: ${String(reason)}\n`));
  process.stdout.on('error', () => {});

  async function takeOver(): Promise<void> {
    await inherit(folder, async (legacy) => {
      await clearUp(legacy);
      for (const end of legacy.unheard) server.keep(end);
    });
  }

  async function shutDown(): Promise<void> {
    server.close();
    await rm(addressPath, { force: true });
    cgroups?.close();
    await journal.close();
    // Closing the server removes the socket only under the path that it was opened with.
    if (process.platform !== 'win32') await rm(socketPath, { force: true });
    process.exit(0);
  }
}

function warmProgram(name: string): string {
  return fileURLToPath(new URL(`warm/${name}`, import.meta.url));
}

/**
 * Removes sockets, pipes and addresses of executors that were killed: their names begin with the id of an ended
 * process.
 */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^(\d+)-.*(?:\.sock|-pipes|-address\.json|\.new)$/.exec(name)?.[1]);
    if (!(pid > 0) || isAlive(pid)) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Closes handles that the program that started Hob has left open; otherwise scripts would inherit them. Our own handles
 * are marked close-on-exec, so a handle without that mark is not ours.
 */
function closeInherited(): void {
  if (process.platform !== 'linux') return;
  const closeOnExec = 0o2000000;
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    if (fd <= 2) continue;
    try {
      const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(fd);
    } catch {
      // The handle that listed the folder is already closed.
    }
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});

/**
 * Stops the runs of an executor that was killed. Processes that its ended runs left running on purpose are not touched.
 */
async function clearUp({ inFlight, cgroups }: Legacy): Promise<void> {
  await Promise.all(
    inFlight.map(({ runId, pid, startTicks }) => {
      const cgroup = cgroups === null ? null : cgroupAt(join(cgroups, runId));
      return terminate(new RunProcesses(runId, { pid, startTicks, isOurs: false }, cgroup), orphanGraceMs);
    }),
  );
  if (cgroups !== null) removeCgroups(cgroups);
}
