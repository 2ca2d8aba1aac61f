import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { fileThere } from '../../test/support/until.ts';
import { receiveMessages } from '../execution/message-lines.ts';
import { type FromWindow, fromWindowTypes } from '../execution/window-messages.ts';
import { Windows } from './windows.ts';

const never = new Promise<void>(() => {});
const look = { env: {}, title: 'a script', language: 'en', hold: 'never' } as const;

/** A program in a window that calls with its ticket, and prints what it hears. */
const caller = `
  const [socketPath, ticket] = process.argv.slice(-2);
  const socket = require('node:net').connect(socketPath);
  socket.write(JSON.stringify({ type: 'window', ticket, terminal: '/dev/pts/99', env: { TERM: 'test' } }) + '\\n');
  socket.on('close', () => process.exit(0));
`;

async function openWindows(
  program: readonly string[] = [process.execPath, '-e', caller],
  opensWithinMs = 1000,
) {
  const socketPath = join(await tempFolder(), 'windows.sock');
  const windows = new Windows({ program, pageProgram: program, socketPath, opensWithinMs });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    receiveMessages<FromWindow>(socket, fromWindowTypes, (message) => windows.receive(socket, message));
  });
  server.listen(socketPath);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { windows, sockets };
}

/** An emulator that runs what it is given, as one does. */
const plain = ['/usr/bin/env'];
const failing = ['/bin/sh', '-c', 'exit 3'];
const missing = ['/nowhere/to/be/found'];
/** One that hands its window over to somebody else and is done. */
const handingOver = ['/bin/sh', '-c', '"$@" & exit 0', 'sh'];
const silent = ['/bin/sh', '-c', 'exec sleep 600'];

describe('Windows', () => {
  it('opens the first window that comes', async () => {
    const { windows } = await openWindows();
    const { window, windowless } = await windows.open({ ...look, commands: [plain] }, never);
    expect([window?.terminal, window?.env, windowless]).toEqual(['/dev/pts/99', { TERM: 'test' }, null]);
  });

  it('starts the program for a page with the size, where a page shows the terminal', async () => {
    const { windows } = await openWindows();
    const { window } = await windows.open(
      { ...look, commands: [missing], page: { columns: 100, rows: 30 } },
      never,
    );
    expect(window?.terminal).toBe('/dev/pts/99');
  });

  it('says that there can be no terminal when that program has none to lend', async () => {
    const { windows } = await openWindows(failing);
    const opening = await windows.open({ ...look, commands: [], page: { columns: 80, rows: 24 } }, never);
    expect([opening.window, opening.windowless?.en]).toEqual([
      null,
      'this machine provides no pseudo-terminal',
    ]);
  });

  it('does not take the end of an emulator for the end of its window', async () => {
    const { windows } = await openWindows();
    const { window } = await windows.open({ ...look, commands: [handingOver] }, never);
    expect(window).not.toBeNull();
  });

  it('goes on to the next emulator when one fails', async () => {
    const { windows } = await openWindows();
    const { window } = await windows.open({ ...look, commands: [missing, failing, plain] }, never);
    expect(window).not.toBeNull();
  });

  it.each([
    ['sh exited with code 3', [failing]],
    ['found could not be started (spawn /nowhere/to/be/found ENOENT)', [missing]],
    ['sh opened no window within 1 s', [silent, plain]],
    ['no terminal emulator found', []],
  ])('says why there is none: %s', async (why, commands) => {
    const { windows } = await openWindows();
    const { window, windowless } = await windows.open({ ...look, commands }, never);
    expect([window, windowless?.en]).toEqual([null, why]);
  });

  it('waits no longer when the run is stopped, and sends away a window that comes then', async () => {
    const { windows, sockets } = await openWindows();
    const mark = join(await tempFolder(), 'mark');
    const late = ['/bin/sh', '-c', `(sleep 0.3; "$@") & touch "$0"; exit 0`, mark];
    const opening = await windows.open({ ...look, commands: [late] }, fileThere(mark));
    expect(opening.window).toBeNull();
    await expect.poll(() => [...sockets].map((socket) => socket.destroyed)).toEqual([true]);
  });

  it('does not end an emulator when the run is stopped: it may show windows of others', async () => {
    const { windows } = await openWindows(undefined, 30_000);
    const mark = join(await tempFolder(), 'mark');
    const shared = 'touch "$0"; until [ -e "$0.go" ]; do sleep 0.02; done; "$@"; touch "$0.there"';
    const commands = [['/bin/sh', '-c', shared, mark]];
    const { window } = await windows.open({ ...look, commands }, fileThere(mark));
    expect(window).toBeNull();
    await writeFile(`${mark}.go`, '');
    await fileThere(`${mark}.there`);
  });

  it('ends one that hangs all the same', async () => {
    const { windows } = await openWindows();
    const mark = join(await tempFolder(), 'mark');
    const hanging = 'trap "touch $0.ended; exit" TERM; touch "$0"; while :; do sleep 0.02; done';
    const { window } = await windows.open(
      { ...look, commands: [['/bin/sh', '-c', hanging, mark]] },
      fileThere(mark),
    );
    expect(window).toBeNull();
    await fileThere(`${mark}.ended`);
  });

  it('sends away whoever has no ticket', async () => {
    const { windows, sockets } = await openWindows([
      process.execPath,
      '-e',
      caller.replace('ticket,', 'ticket: "made-up",'),
    ]);
    const opening = await windows.open({ ...look, commands: [plain] }, never);
    expect(opening.window).toBeNull();
    expect([...sockets].map((socket) => socket.destroyed)).toEqual([true]);
  });

  it('knows when a window is gone', async () => {
    const { windows, sockets } = await openWindows();
    const { window } = await windows.open({ ...look, commands: [plain] }, never);
    for (const socket of sockets) socket.destroy();
    await window?.gone;
    const { pid, exited } = (await window?.start(unusedSpec)) ?? {};
    expect(pid).toBeUndefined();
    expect(await exited).toMatchObject({ code: null, signal: 'SIGKILL' });
  });
});

const unusedSpec = {
  runId: 'run',
  file: '/bin/true',
  args: [],
  isVerbatim: false,
  cwd: '/',
  env: {},
  runFolder: '/',
  timeoutMs: null,
  stopGraceMs: 0,
  outputLogBytes: 0,
  survivors: 'keep',
} as const;
