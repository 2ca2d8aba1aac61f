import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { isRunning, tempFolder } from '../../test/support/hob.ts';
import { startShell, untilSo } from '../../test/support/shells.ts';
import { createLogger } from '../shared/log.ts';
import { ExecutorLink, type Welcome } from './executor-link.ts';
import { receiveMessages, sendMessage } from './message-lines.ts';
import { type ExecutorAddress, protocolVersion, type ToExecutor, toExecutorTypes } from './messages.ts';

const welcome: Welcome = {
  type: 'welcome',
  protocol: protocolVersion,
  version: '1.2.3',
  pid: 1,
  instance: 'fake',
  containment: 'sweep',
  running: [],
  ended: [],
  counts: [],
};

interface Connection {
  readonly socket: Socket;
  readonly received: ToExecutor[];
}

/** An executor that understands the protocol and runs nothing. The test decides how it answers a hello. */
async function openFake(greet: (socket: Socket) => void = (socket) => sendMessage(socket, welcome)) {
  const connections: Connection[] = [];
  const state = { answersPing: true };
  const server = createServer((socket) => {
    const received: ToExecutor[] = [];
    connections.push({ socket, received });
    socket.on('error', () => {});
    receiveMessages<ToExecutor>(socket, toExecutorTypes, (message) => {
      received.push(message);
      if (message.type === 'hello') greet(socket);
      if (message.type === 'ping' && state.answersPing) sendMessage(socket, { type: 'pong' });
    });
  });
  const socketPath = join(await tempFolder(), 'fake.sock');
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const close = () => {
    server.close();
    for (const { socket } of connections) socket.destroy();
  };
  onTestFinished(close);
  const address: ExecutorAddress = {
    pid: process.pid,
    instance: 'fake',
    version: '1.2.3',
    protocol: protocolVersion,
    socket: socketPath,
    secret: 'the secret',
  };
  /** The types of the messages received over its newest connection. */
  const receivedTypes = () => connections.at(-1)?.received.map(({ type }) => type);
  return { connections, address, close, receivedTypes, state };
}

/** Heartbeats occur when the test says so; all other timers are real. */
function manualBeats(): (count: number) => void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return (count) => vi.advanceTimersByTime(count * 2000);
}

async function openLink(address: ExecutorAddress) {
  const heard: string[] = [];
  const link = await ExecutorLink.open(
    address,
    {
      welcomed: () => heard.push('welcome'),
      heard: (_link, { type }) => heard.push(type),
      silenceChanged: ({ isSilent }) => heard.push(isSilent ? 'silent' : 'answers'),
      gone: () => heard.push('gone'),
    },
    await createLogger('silent'),
  );
  onTestFinished(() => link?.close());
  return { link, heard };
}

function given<Thing>(thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined) throw new Error('the value is missing');
  return thing;
}

const stop = { type: 'stop', runId: 'run', cause: 'cancelled' } as const;

describe('the link to an executor', () => {
  it('is established when the executor has sent its welcome, and passes messages both ways', async () => {
    const { connections, address, receivedTypes } = await openFake();
    const { link, heard } = await openLink(address);
    expect(link?.isConnected).toBe(true);
    expect(heard).toEqual(['welcome']);
    expect(connections[0]?.received).toEqual([
      { type: 'hello', protocol: protocolVersion, secret: 'the secret' },
    ]);
    given(link).tell(stop);
    await untilSo(() => receivedTypes()?.length === 2);
    expect(connections[0]?.received[1]).toEqual(stop);
    sendMessage(given(connections[0]).socket, { type: 'inherited' });
    await untilSo(() => heard.length === 2);
    expect(heard).toEqual(['welcome', 'inherited']);
  });

  it('is null when the executor has ended', async () => {
    const { address, close } = await openFake();
    close();
    expect(await openLink(address)).toEqual({ link: null, heard: ['gone'] });
    const elsewhere = { ...address, socket: join(await tempFolder(), 'never.sock') };
    expect(await openLink(elsewhere)).toEqual({ link: null, heard: ['gone'] });
  });

  it('is established again at once when it breaks, and reports that', async () => {
    const { connections, address } = await openFake();
    const { link, heard } = await openLink(address);
    for (let breaks = 1; breaks <= 3; breaks++) {
      given(connections.at(-1)).socket.destroy();
      await untilSo(() => heard.length === breaks + 1);
      expect(link?.isConnected).toBe(true);
    }
    expect(heard).toEqual(['welcome', 'welcome', 'welcome', 'welcome']);
    expect(connections).toHaveLength(4);
  });

  it('drops messages that are sent while it is broken', async () => {
    const { connections, address, receivedTypes } = await openFake((socket) => {
      if (connections.length === 1) sendMessage(socket, welcome);
    });
    const { link } = await openLink(address);
    given(connections[0]).socket.destroy();
    await untilSo(() => receivedTypes()?.[0] === 'hello' && connections.length === 2);
    expect(link?.isConnected).toBe(false);
    given(link).tell(stop);
    sendMessage(given(connections[1]).socket, welcome);
    await untilSo(() => link?.isConnected === true);
    given(link).tell({ type: 'retire' });
    await untilSo(() => receivedTypes()?.length === 2);
    expect(receivedTypes()).toEqual(['hello', 'retire']);
  });

  it('sends messages that are not urgent in front of the next one, or a moment later', async () => {
    const { address, receivedTypes } = await openFake();
    const { link } = await openLink(address);
    given(link).tellSoon({ type: 'acknowledge', runId: 'a' });
    given(link).tellSoon({ type: 'acknowledge-counts', runIds: ['a'] });
    given(link).tell(stop);
    await untilSo(() => receivedTypes()?.length === 4);
    expect(receivedTypes()).toEqual(['hello', 'acknowledge', 'acknowledge-counts', 'stop']);
    given(link).tellSoon({ type: 'acknowledge', runId: 'b' });
    await untilSo(() => receivedTypes()?.length === 5);
    expect(receivedTypes()?.at(-1)).toBe('acknowledge');
  });

  it('sends the messages that wait before it is closed, and none of them over another connection', async () => {
    const { connections, address, receivedTypes } = await openFake();
    const { link } = await openLink(address);
    given(link).tellSoon({ type: 'acknowledge', runId: 'a' });
    given(connections[0]).socket.destroy();
    await untilSo(() => connections.length === 2 && link?.isConnected === true);
    given(link).tellSoon({ type: 'acknowledge', runId: 'b' });
    await given(link).close();
    await untilSo(() => receivedTypes()?.length === 3);
    expect(receivedTypes()).toEqual(['hello', 'acknowledge', 'farewell']);
  });

  it('retries until an executor that closes its connections accepts one', async () => {
    const { connections, address } = await openFake((socket) => {
      if (connections.length < 3) socket.destroy();
      else sendMessage(socket, welcome);
    });
    const { link, heard } = await openLink(address);
    expect(link?.isConnected).toBe(false);
    await untilSo(() => heard.length > 0);
    expect(heard).toEqual(['welcome']);
    expect(connections).toHaveLength(3);
  });

  it('is broken by an invalid message, and established again', async () => {
    const { connections, address } = await openFake((socket) => {
      if (connections.length === 1) socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
      else sendMessage(socket, welcome);
    });
    const { heard } = await openLink(address);
    await untilSo(() => heard.length > 0);
    expect(heard).toEqual(['welcome']);
  });

  it('reports once that the executor has ended', async () => {
    const { address, close } = await openFake();
    const { link, heard } = await openLink(address);
    close();
    await untilSo(() => heard.includes('gone'));
    expect(heard).toEqual(['welcome', 'gone']);
    expect(link?.isConnected).toBe(false);
    given(link).tell(stop);
  });

  it('sends a farewell when it is closed, and does not connect again', async () => {
    const { connections, address, receivedTypes } = await openFake();
    const { link, heard } = await openLink(address);
    await given(link).close();
    await untilSo(() => receivedTypes()?.length === 2);
    expect(receivedTypes()).toEqual(['hello', 'farewell']);
    await given(link).close();
    expect(link?.isConnected).toBe(false);
    // A further attempt of the closed link would have connected before this one.
    await openLink(address);
    expect(connections).toHaveLength(2);
    expect(heard).toEqual(['welcome']);
  });

  it('can be closed while it retries', async () => {
    const { connections, address } = await openFake((socket) => socket.destroy());
    const { link, heard } = await openLink(address);
    await untilSo(() => connections.length === 2);
    await given(link).close();
    expect(heard).toEqual([]);
  });

  it('can be closed although the executor does not react', async () => {
    const { connections, address } = await openFake();
    const { link } = await openLink(address);
    given(connections[0]).socket.pause();
    await given(link).close();
    expect(link?.isConnected).toBe(false);
  });

  it('sends nothing to an executor with another protocol, and waits for its exit', async () => {
    const { connections, address } = await openFake();
    const other = startShell('exec sleep 600');
    const { link, heard } = await openLink({ ...address, pid: other.pid, protocol: protocolVersion + 1 });
    expect(link?.isConnected).toBe(false);
    expect(await isRunning(other.pid)).toBe(true);
    expect(heard).toEqual([]);
    other.child.kill('SIGKILL');
    await other.exited;
    await untilSo(() => heard.length > 0);
    expect(heard).toEqual(['gone']);
    expect(connections.flatMap(({ received }) => received)).toEqual([]);
  });

  it('reports an executor with another protocol as ended when its socket has no listener, even if its process id is in use', async () => {
    const { address, close } = await openFake();
    close();
    const { heard } = await openLink({ ...address, protocol: protocolVersion + 1 });
    await untilSo(() => heard.length > 0);
    expect(heard).toEqual(['gone']);
  });

  it('processes a welcome before the message that follows it in the same chunk', async () => {
    const { address } = await openFake((socket) => {
      socket.write(`${JSON.stringify(welcome)}\n${JSON.stringify({ type: 'inherited' })}\n`);
    });
    const { heard } = await openLink(address);
    await untilSo(() => heard.length === 2);
    expect(heard).toEqual(['welcome', 'inherited']);
  });

  it('is silent while an executor that supports pings does not answer them', async () => {
    const beat = manualBeats();
    const { address, connections, receivedTypes, state } = await openFake((socket) =>
      sendMessage(socket, { ...welcome, answersPing: true }),
    );
    const { link, heard } = await openLink(address);
    beat(1);
    await untilSo(() => heard.includes('pong'));
    state.answersPing = false;
    beat(1);
    await untilSo(() => receivedTypes()?.filter((type) => type === 'ping').length === 2);
    beat(2);
    expect(link?.isSilent).toBe(false);
    beat(1);
    expect(link?.isSilent).toBe(true);
    beat(100);
    expect(receivedTypes()?.filter((type) => type === 'ping')).toHaveLength(2);
    sendMessage(given(connections[0]).socket, { type: 'pong' });
    await untilSo(() => link?.isSilent === false);
    expect(heard).toEqual(['welcome', 'pong', 'silent', 'answers', 'pong']);
  });

  it('is never silent with an executor that does not support pings, and sends it none', async () => {
    const beat = manualBeats();
    const { address, receivedTypes } = await openFake();
    const { link, heard } = await openLink(address);
    beat(100);
    given(link).tell({ type: 'retire' });
    await untilSo(() => receivedTypes()?.length === 2);
    expect(receivedTypes()).toEqual(['hello', 'retire']);
    expect(link?.isSilent).toBe(false);
    expect(heard).toEqual(['welcome']);
  });

  it('leaves no open connection when it is closed before the welcome', async () => {
    const { connections, address } = await openFake((socket) => {
      if (connections.length === 1) sendMessage(socket, welcome);
    });
    const { link, heard } = await openLink(address);
    given(connections[0]).socket.destroy();
    await untilSo(() => connections.length === 2 && connections[1]?.received.length === 1);
    await given(link).close();
    const { socket } = given(connections[1]);
    sendMessage(socket, welcome);
    await untilSo(() => socket.destroyed);
    expect(link?.isConnected).toBe(false);
    expect(heard).toEqual(['welcome']);
  });
});
