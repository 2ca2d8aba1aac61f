import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { testPath } from '../../test/support/needs.ts';
import { untilSo } from '../../test/support/shells.ts';
import { createLogger } from '../shared/log.ts';
import { ExecutorClient } from './executor-client.ts';
import { receiveMessages, sendMessage } from './message-lines.ts';
import {
  addressFileEnd,
  executorFolder,
  protocolVersion,
  type ToExecutor,
  toExecutorTypes,
  type WarmState,
} from './messages.ts';

const ourVersion = '1.2.3';
const warmLimits = { memoryBytes: 64_000_000, idleMs: 60_000 };

const state: WarmState = {
  hits: 3,
  misses: 1,
  memoryBytes: 34_000_000,
  isShortOfMemory: false,
  kinds: [],
};

/** An executor that was started before the service. It understands the protocol and runs nothing. */
async function openFake(home: string, instance: string, version = ourVersion) {
  const sockets: Socket[] = [];
  const received: ToExecutor[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    receiveMessages<ToExecutor>(socket, toExecutorTypes, (message) => {
      received.push(message);
      if (message.type === 'inherit') sendMessage(socket, { type: 'inherited' });
      if (message.type !== 'hello') return;
      sendMessage(socket, {
        type: 'welcome',
        protocol: protocolVersion,
        version,
        pid: process.pid,
        instance,
        containment: 'sweep',
        running: [],
        ended: [],
        counts: [],
      });
    });
  });
  const socketPath = join(await tempFolder(), 'fake.sock');
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  const address = { pid: process.pid, instance, version, protocol: protocolVersion, secret: 'secret' };
  const folder = join(home, executorFolder);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, `${instance}${addressFileEnd}`),
    JSON.stringify({ ...address, socket: socketPath }),
  );
  return {
    close,
    /** The types of the messages received over all connections. */
    receivedTypes: () => received.map(({ type }) => type),
    received,
    say: (said: WarmState) => {
      const socket = sockets.at(-1);
      if (socket !== undefined) sendMessage(socket, { type: 'warm', state: said });
    },
    break: () => sockets.at(-1)?.destroy(),
  };
}

async function openClient(home: string): Promise<ExecutorClient> {
  const client = new ExecutorClient({
    home,
    // No executor can be started from this file once the fake ones have ended.
    entry: join(home, 'none.js'),
    version: ourVersion,
    env: { PATH: testPath },
    warmLimits,
    log: await createLogger('silent'),
  });
  onTestFinished(() => client.close());
  return client;
}

describe('the executor that takes new runs', () => {
  it('receives the shared environment and the limits for warm interpreters first, with every connection', async () => {
    const home = await tempFolder();
    const executor = await openFake(home, '1-aa');
    const client = await openClient(home);
    await client.connect();
    expect(executor.receivedTypes()).toEqual(['hello', 'environment', 'allow-warm', 'inherit']);
    expect(executor.received[1]).toEqual({ type: 'environment', env: { PATH: testPath } });
    expect(executor.received[2]).toEqual({ type: 'allow-warm', limits: warmLimits });
    executor.break();
    await untilSo(() => executor.receivedTypes().length === 7);
    expect(executor.receivedTypes().slice(4)).toEqual(['hello', 'environment', 'allow-warm']);
  });

  it('provides the warm state that it has sent last, until it has ended', async () => {
    const home = await tempFolder();
    const executor = await openFake(home, '1-aa');
    const client = await openClient(home);
    expect(client.warm).toBeNull();
    await client.connect();
    expect(client.warm).toBeNull();
    executor.say(state);
    executor.say({ ...state, hits: 4 });
    await untilSo(() => client.warm?.hits === 4);
    expect(client.warm).toEqual({ ...state, hits: 4 });
    executor.close();
    await untilSo(() => client.warm === null);
  });
});

describe('an executor of another version', () => {
  it('receives neither the environment nor the limits, and its warm state is ignored', async () => {
    const home = await tempFolder();
    const old = await openFake(home, '1-aa', '1.2.2');
    const current = await openFake(home, '2-bb');
    const client = await openClient(home);
    await client.connect();
    expect(old.receivedTypes()).toEqual(['hello', 'retire']);
    old.say({ ...state, hits: 99 });
    // The messages of the next connection show that the previous one has been read. So `current` sends its state later.
    old.break();
    await untilSo(() => old.receivedTypes().length === 4);
    current.say(state);
    await untilSo(() => client.warm !== null);
    expect(client.warm?.hits).toBe(3);
  });
});
