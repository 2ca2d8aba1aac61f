import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { receiveMessages, sendMessage } from '../../src/execution/message-lines.ts';
import type { RunSpec } from '../../src/execution/messages.ts';
import {
  type FromWindow,
  fromWindowTypes,
  type ToWindow,
  toWindowTypes,
} from '../../src/execution/window-messages.ts';
import { supervise } from '../../src/executor/supervise.ts';
import { Window } from '../../src/executor/window.ts';
import { tempFolder } from '../support/hob.ts';

type Peer = (message: ToWindow, socket: Socket) => void;

/** Runs a shell script in a window whose program behaves as the test says. */
async function runInWindow(script: string, terminal: string | null, peer: Peer) {
  const runId = randomUUID();
  const folder = await tempFolder();
  const socketPath = join(folder, 'windows.sock');
  const server = createServer().listen(socketPath);
  await once(server, 'listening');
  const far = connect(socketPath);
  const [near]: Socket[] = await once(server, 'connection');
  if (near === undefined) throw new Error('no connection');
  onTestFinished(() => {
    near.destroy();
    server.close();
  });
  const window = new Window(near, { type: 'window', ticket: '', terminal, env: {} });
  receiveMessages<FromWindow>(near, fromWindowTypes, (message) => window.receive(message));
  receiveMessages<ToWindow>(far, toWindowTypes, (message) => peer(message, far));
  const spec: RunSpec = {
    runId,
    file: '/bin/sh',
    args: ['-c', script],
    isVerbatim: false,
    cwd: '/',
    env: { HOB_RUN_ID: runId },
    runFolder: folder,
    timeoutMs: null,
    stopGraceMs: 100,
    outputLogBytes: 1000,
    survivors: 'keep',
    window: { commands: [], env: {}, title: '', language: 'en', hold: 'never' },
  };
  const windows = { open: async () => ({ window, windowless: null }) };
  let noteStart = () => {};
  const started = new Promise<void>((resolve) => {
    noteStart = resolve;
  });
  const events = { started: noteStart, lasts: () => {}, timedOut: () => {} };
  return { run: supervise(spec, { processes: null, cgroups: null, warm: null, windows }, events), started };
}

it('a script that exits while its window is open has ended by itself', async () => {
  const { run } = await runInWindow('exit 5', '/dev/null', (message, socket) => {
    if (message.type === 'drain') sendMessage(socket, { type: 'drained' });
  });
  expect(await run.end).toMatchObject({ cause: 'exit', exitCode: 5, window: 'open' });
});

it('a script that exits because its window was lost is cancelled, even if its exit is reported first', async () => {
  const { run } = await runInWindow('exit 5', '/dev/null', (message, socket) => {
    if (message.type === 'drain') socket.destroy();
  });
  expect(await run.end).toMatchObject({ cause: 'cancelled', exitCode: 5, window: 'gone' });
});

it('a run can be stopped if its window has started the script and never reports its end', async () => {
  const { run, started } = await runInWindow('exec sleep 600', null, (message, socket) => {
    if (message.type !== 'start') return;
    const child = spawn(message.file, message.args, { env: message.env, stdio: 'ignore' });
    sendMessage(socket, { type: 'spawned', pid: child.pid ?? 0 });
  });
  await started;
  run.stop('cancelled');
  expect(await run.end).toMatchObject({ cause: 'cancelled', signal: 'SIGKILL' });
});
