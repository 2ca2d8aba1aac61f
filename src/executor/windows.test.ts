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
const baseSpec = { env: {}, title: 'a script', language: 'en', hold: 'never' } as const;

/** A program in a window that connects with its ticket. */
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
  const windows = new Windows({ program, pageProgram: program, processes: null, socketPath, opensWithinMs });
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

/** An emulator that simply runs the given command. */
const plain = ['/usr/bin/env'];
const failing = ['/bin/sh', '-c', 'exit 3'];
const missing = ['/nowhere/to/be/found'];
/** An emulator that passes its window to another process and exits. */
const handingOver = ['/bin/sh', '-c', '"$@" & exit 0', 'sh'];
const silent = ['/bin/sh', '-c', 'exec sleep 600'];

describe('Windows', () => {
  it('returns the window that connects', async () => {
    const { windows } = await openWindows();
    const { window, windowless } = await windows.open({ ...baseSpec, commands: [plain] }, never);
    expect([window?.terminal, window?.env, windowless]).toEqual(['/dev/pts/99', { TERM: 'test' }, null]);
  });

  it('starts the page program with the size, if a page shows the terminal', async () => {
    const { windows } = await openWindows();
    const { window } = await windows.open(
      { ...baseSpec, commands: [missing], page: { columns: 100, rows: 30 } },
      never,
    );
    expect(window?.terminal).toBe('/dev/pts/99');
  });

  it('reports that there is no pseudo-terminal when the page program fails', async () => {
    const { windows } = await openWindows(failing);
    const opening = await windows.open({ ...baseSpec, commands: [], page: { columns: 80, rows: 24 } }, never);
    expect([opening.window, opening.windowless?.en]).toEqual([
      null,
      'this machine provides no pseudo-terminal',
    ]);
  });

  it('does not mistake the exit of an emulator for the end of its window', async () => {
    const { windows } = await openWindows();
    const { window } = await windows.open({ ...baseSpec, commands: [handingOver] }, never);
    expect(window).not.toBeNull();
  });

  it('tries the next emulator when one fails', async () => {
    const { windows } = await openWindows();
    const { window } = await windows.open({ ...baseSpec, commands: [missing, failing, plain] }, never);
    expect(window).not.toBeNull();
  });

  it.each([
    ['sh exited with code 3', [failing]],
    ['found could not be started (spawn /nowhere/to/be/found ENOENT)', [missing]],
    ['sh opened no window within 1 s', [silent, plain]],
    ['no terminal emulator found', []],
  ])('reports why there is no window: %s', async (why, commands) => {
    const { windows } = await openWindows();
    const { window, windowless } = await windows.open({ ...baseSpec, commands }, never);
    expect([window, windowless?.en]).toEqual([null, why]);
  });

  it('stops waiting when the run is stopped, and closes a window that opens later', async () => {
    const { windows, sockets } = await openWindows();
    const mark = join(await tempFolder(), 'mark');
    const late = ['/bin/sh', '-c', `(sleep 0.3; "$@") & touch "$0"; exit 0`, mark];
    const opening = await windows.open({ ...baseSpec, commands: [late] }, fileThere(mark));
    expect(opening.window).toBeNull();
    await expect.poll(() => [...sockets].map((socket) => socket.destroyed)).toEqual([true]);
  });

  it('does not end an emulator when the run is stopped, because it may show windows of other runs', async () => {
    const { windows } = await openWindows(undefined, 30_000);
    const mark = join(await tempFolder(), 'mark');
    const shared = 'touch "$0"; until [ -e "$0.go" ]; do sleep 0.02; done; "$@"; touch "$0.there"';
    const commands = [['/bin/sh', '-c', shared, mark]];
    const { window } = await windows.open({ ...baseSpec, commands }, fileThere(mark));
    expect(window).toBeNull();
    await writeFile(`${mark}.go`, '');
    await fileThere(`${mark}.there`);
  });

  it('ends an emulator that hangs after the run was stopped', async () => {
    const { windows } = await openWindows();
    const mark = join(await tempFolder(), 'mark');
    const hanging = 'trap "touch $0.ended; exit" TERM; touch "$0"; while :; do sleep 0.02; done';
    const { window } = await windows.open(
      { ...baseSpec, commands: [['/bin/sh', '-c', hanging, mark]] },
      fileThere(mark),
    );
    expect(window).toBeNull();
    await fileThere(`${mark}.ended`);
  });

  it('rejects a window with an unknown ticket', async () => {
    const { windows, sockets } = await openWindows([
      process.execPath,
      '-e',
      caller.replace('ticket,', 'ticket: "made-up",'),
    ]);
    const opening = await windows.open({ ...baseSpec, commands: [plain] }, never);
    expect(opening.window).toBeNull();
    expect([...sockets].map((socket) => socket.destroyed)).toEqual([true]);
  });

  it('reports the loss of a window', async () => {
    const { windows, sockets } = await openWindows();
    const { window } = await windows.open({ ...baseSpec, commands: [plain] }, never);
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
