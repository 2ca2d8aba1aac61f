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

/** An executor that speaks the language and runs nothing. What it answers to a greeting is up to the test. */
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
  /** What it was told over its newest connection. */
  const told = () => connections.at(-1)?.received.map(({ type }) => type);
  return { connections, address, close, told, state };
}

/** Beats come when the test says so; all else takes its time. */
function beatByHand(): (count: number) => void {
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
  if (thing === null || thing === undefined) throw new Error('it is not there');
  return thing;
}

const stop = { type: 'stop', runId: 'run', cause: 'cancelled' } as const;

describe('the link to an executor', () => {
  it('is there when the executor has welcomed it, and passes messages both ways', async () => {
    const { connections, address, told } = await openFake();
    const { link, heard } = await openLink(address);
    expect(link?.isConnected).toBe(true);
    expect(heard).toEqual(['welcome']);
    expect(connections[0]?.received).toEqual([
      { type: 'hello', protocol: protocolVersion, secret: 'the secret' },
    ]);
    given(link).tell(stop);
    await untilSo(() => told()?.length === 2);
    expect(connections[0]?.received[1]).toEqual(stop);
    sendMessage(given(connections[0]).socket, { type: 'inherited' });
    await untilSo(() => heard.length === 2);
    expect(heard).toEqual(['welcome', 'inherited']);
  });

  it('is none when nobody is there', async () => {
    const { address, close } = await openFake();
    close();
    expect(await openLink(address)).toEqual({ link: null, heard: ['gone'] });
    const elsewhere = { ...address, socket: join(await tempFolder(), 'never.sock') };
    expect(await openLink(elsewhere)).toEqual({ link: null, heard: ['gone'] });
  });

  it('is made again at once when it breaks, and whoever waits is told', async () => {
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

  it('drops what is said while it is broken', async () => {
    const { connections, address, told } = await openFake((socket) => {
      if (connections.length === 1) sendMessage(socket, welcome);
    });
    const { link } = await openLink(address);
    given(connections[0]).socket.destroy();
    await untilSo(() => told()?.[0] === 'hello' && connections.length === 2);
    expect(link?.isConnected).toBe(false);
    given(link).tell(stop);
    sendMessage(given(connections[1]).socket, welcome);
    await untilSo(() => link?.isConnected === true);
    given(link).tell({ type: 'retire' });
    await untilSo(() => told()?.length === 2);
    expect(told()).toEqual(['hello', 'retire']);
  });

  it('is tried again until an executor that closes the door opens it', async () => {
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

  it('is broken by whoever does not speak the language, and tried again', async () => {
    const { connections, address } = await openFake((socket) => {
      if (connections.length === 1) socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
      else sendMessage(socket, welcome);
    });
    const { heard } = await openLink(address);
    await untilSo(() => heard.length > 0);
    expect(heard).toEqual(['welcome']);
  });

  it('is over, once, when the executor has gone', async () => {
    const { address, close } = await openFake();
    const { link, heard } = await openLink(address);
    close();
    await untilSo(() => heard.includes('gone'));
    expect(heard).toEqual(['welcome', 'gone']);
    expect(link?.isConnected).toBe(false);
    given(link).tell(stop);
  });

  it('says farewell when it is closed, and is not made again', async () => {
    const { connections, address, told } = await openFake();
    const { link, heard } = await openLink(address);
    await given(link).close();
    await untilSo(() => told()?.length === 2);
    expect(told()).toEqual(['hello', 'farewell']);
    await given(link).close();
    expect(link?.isConnected).toBe(false);
    // Whoever had tried again would have been there before this one.
    await openLink(address);
    expect(connections).toHaveLength(2);
    expect(heard).toEqual(['welcome']);
  });

  it('can be closed while it is tried again', async () => {
    const { connections, address } = await openFake((socket) => socket.destroy());
    const { link, heard } = await openLink(address);
    await untilSo(() => connections.length === 2);
    await given(link).close();
    expect(heard).toEqual([]);
  });

  it('can be closed though the executor does not react', async () => {
    const { connections, address } = await openFake();
    const { link } = await openLink(address);
    given(connections[0]).socket.pause();
    await given(link).close();
    expect(link?.isConnected).toBe(false);
  });

  it('says nothing to one of another language, which is waited out', async () => {
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

  it('takes one of another language for gone when nobody listens, whoever has its process id now', async () => {
    const { address, close } = await openFake();
    close();
    const { heard } = await openLink({ ...address, protocol: protocolVersion + 1 });
    await untilSo(() => heard.length > 0);
    expect(heard).toEqual(['gone']);
  });

  it('hears a welcome before what is said after it, though both come at once', async () => {
    const { address } = await openFake((socket) => {
      socket.write(`${JSON.stringify(welcome)}\n${JSON.stringify({ type: 'inherited' })}\n`);
    });
    const { heard } = await openLink(address);
    await untilSo(() => heard.length === 2);
    expect(heard).toEqual(['welcome', 'inherited']);
  });

  it('is silent while an executor that knows pings does not answer them', async () => {
    const beat = beatByHand();
    const { address, connections, told, state } = await openFake((socket) =>
      sendMessage(socket, { ...welcome, answersPing: true }),
    );
    const { link, heard } = await openLink(address);
    beat(1);
    await untilSo(() => heard.includes('pong'));
    state.answersPing = false;
    beat(1);
    await untilSo(() => told()?.filter((type) => type === 'ping').length === 2);
    beat(2);
    expect(link?.isSilent).toBe(false);
    beat(1);
    expect(link?.isSilent).toBe(true);
    beat(100);
    expect(told()?.filter((type) => type === 'ping')).toHaveLength(2);
    sendMessage(given(connections[0]).socket, { type: 'pong' });
    await untilSo(() => link?.isSilent === false);
    expect(heard).toEqual(['welcome', 'pong', 'silent', 'answers', 'pong']);
  });

  it('is never silent with an executor that does not know pings, which gets none', async () => {
    const beat = beatByHand();
    const { address, told } = await openFake();
    const { link, heard } = await openLink(address);
    beat(100);
    given(link).tell({ type: 'retire' });
    await untilSo(() => told()?.length === 2);
    expect(told()).toEqual(['hello', 'retire']);
    expect(link?.isSilent).toBe(false);
    expect(heard).toEqual(['welcome']);
  });

  it('leaves no connection behind when it is closed before the welcome', async () => {
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
