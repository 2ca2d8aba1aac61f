import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

import { describe, expect, it, onTestFinished } from 'vitest';

import { has, testPath } from '../../../test/support/needs.ts';
import { canBecomeOrdinary, ordinaryUser } from '../../../test/support/ordinary-user.ts';
import type { Connection } from './trace-caller.ts';
import { traceCaller, userOfCaller } from './trace-caller.ts';

const run = '0b6f2b0e-5d0a-4c53-9a3e-6a2f5a1f7c01';
const otherRun = '1c7f3b1e-6d1a-4d54-8b4e-7b3f6b2f8d02';
const noRuns: ReadonlyMap<number, string> = new Map();

/** Python programs. Each gets host and port as its arguments. */
const prelude = `
import os, socket, subprocess, sys
host, port = sys.argv[1], int(sys.argv[2])
def start(program, **how):
    return subprocess.Popen([sys.executable, "-c", program, host, str(port)], **how)
def say(text):
    print(text, flush=True)
`;
/** Opens a connection, and exits when the other side closes it. */
const client = `${prelude}
socket.create_connection((host, port)).recv(1)
`;
const parentOf = (program: string, how = '') => `${prelude}
child = start(${JSON.stringify(program)}${how})
say(child.pid)
child.wait()
`;
/** Exits immediately, so that its child process becomes an orphan. */
const leaverOf = (program: string, how = '') => `${prelude}
start(${JSON.stringify(program)}${how})
`;

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);

describe.runIf(has('/proc', process.platform === 'linux'))('the caller behind a connection', () => {
  it('is the run whose leading process opened it', async () => {
    const server = await listen();
    const leader = launch(client, server);
    expect(await traceCaller(await server.connection(), new Map([[leader.pid, run]]))).toEqual(found(run));
  });

  it('is the right one of many runs whose leading process opened it', async () => {
    const server = await listen();
    const idle = Array.from({ length: 8 }, () => launch('import sys; sys.stdin.read()', server));
    const leader = launch(client, server);
    const live = new Map(idle.map(({ pid }, index) => [pid, otherRun.replace('02', `1${index}`)]));
    expect(await traceCaller(await server.connection(), live.set(leader.pid, run))).toEqual(found(run));
  });

  it('is the run whose descendant process opened it', async () => {
    const server = await listen();
    const leader = launch(parentOf(parentOf(client, ', env={}'), ', start_new_session=True'), server);
    expect(await traceCaller(await server.connection(), new Map([[leader.pid, run]]))).toEqual(found(run));
  });

  it('is the nearest run when one leading process descends from another', async () => {
    const server = await listen();
    const outer = launch(parentOf(parentOf(client, ', stdout=subprocess.DEVNULL')), server);
    const inner = Number(await outer.line());
    const connection = await server.connection();
    const leaders: [number, string][] = [
      [outer.pid, run],
      [inner, otherRun],
    ];
    expect(await traceCaller(connection, new Map(leaders))).toEqual(found(otherRun));
    expect(await traceCaller(connection, new Map(leaders.reverse()))).toEqual(found(otherRun));
  });

  it('is the run of its session when its parent has exited and its environment is empty', async () => {
    const server = await listen();
    const leader = launch(
      `${prelude}
start(${JSON.stringify(leaverOf(client, ', env={}'))}).wait()
say("the parent is gone")
sys.stdin.read()`,
      server,
      { detached: true },
    );
    await leader.line();
    expect(await traceCaller(await server.connection(), new Map([[leader.pid, run]]))).toEqual(found(run));
  });

  it('is the run in its environment when it has left process tree and session, also after that run has ended', async () => {
    const server = await listen();
    const leader = launch(leaverOf(client, ', start_new_session=True'), server, {
      cookie: run.toUpperCase(),
    });
    await leader.ended;
    const connection = await server.connection();
    expect(await traceCaller(connection, noRuns)).toEqual(found(run));
    expect(await traceCaller(connection, new Map([[process.pid + 1, otherRun]]))).toEqual(found(run));
  });

  it('is the run in the environment of an ancestor when its own environment is empty', async () => {
    const server = await listen();
    launch(parentOf(client, ', env={}'), server, { cookie: run });
    expect(await traceCaller(await server.connection(), noRuns)).toEqual(found(run));
  });

  it('is a live run that shares the connection with an outside process', async () => {
    const server = await listen();
    const opener = launch(
      `${prelude}
s = socket.create_connection((host, port))
child = start("import sys; sys.stdin.read()", pass_fds=[s.fileno()])
say(child.pid)
child.wait()`,
      server,
    );
    const leader = Number(await opener.line());
    const connection = await server.connection();
    expect(await traceCaller(connection, new Map([[leader, run]]))).toEqual(found(run));
    expect(await traceCaller(connection, noRuns)).toEqual({ kind: 'outside' });
  });

  it.runIf(has('IPv6', hasIpv6))('is found by IPv6', async () => {
    const server = await listen('::1');
    const leader = launch(client, server);
    expect(await traceCaller(await server.connection(), new Map([[leader.pid, run]]))).toEqual(found(run));
  });

  it.runIf(has('IPv6', hasIpv6))('is found when it reaches an IPv4 address from an IPv6 socket', async () => {
    const server = await listen();
    const mapped = client.replace('(host, port)', '("::ffff:" + host, port)');
    const leader = launch(mapped, server);
    expect(await traceCaller(await server.connection(), new Map([[leader.pid, run]]))).toEqual(found(run));
  });

  it.runIf(has('IPv6', hasIpv6))(
    'is found when a server of both families sees a mapped address',
    async () => {
      const server = await listen('::');
      const leader = launch(client.replace('(host, port)', '("127.0.0.1", port)'), server);
      const connection = await server.connection();
      expect(connection.clientAddress).toBe('::ffff:127.0.0.1');
      expect(await traceCaller(connection, new Map([[leader.pid, run]]))).toEqual(found(run));
    },
  );

  it('is distinguished from another one with the same port by the server address', async () => {
    const first = await listen('127.0.0.1');
    const second = await listen('127.0.0.2', first.port);
    const bound = (port: string) => `${prelude}
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", ${port}))
s.connect((host, port))
s.recv(1)`;
    const one = launch(bound('0'), first);
    const toFirst = await first.connection();
    const other = launch(bound(String(toFirst.clientPort)), second);
    const toSecond = await second.connection();
    expect({ ...toSecond, serverAddress: '127.0.0.1' }).toEqual(toFirst);
    const live = new Map([
      [one.pid, run],
      [other.pid, otherRun],
    ]);
    expect(await traceCaller(toFirst, live)).toEqual(found(run));
    expect(await traceCaller(toSecond, live)).toEqual(found(otherRun));
  });

  it('is outside when it belongs to no run', async () => {
    const server = await listen();
    const idle = launch('import sys; sys.stdin.read()', server);
    launch(client, server);
    const connection = await server.connection();
    expect(await traceCaller(connection, noRuns)).toEqual({ kind: 'outside' });
    expect(await traceCaller(connection, new Map([[idle.pid, run]]))).toEqual({ kind: 'outside' });
  });

  it('is outside when the service itself opened it', async () => {
    const server = await listen();
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    expect(await traceCaller(await server.connection(), noRuns)).toEqual({ kind: 'outside' });
  });

  it('is outside when the variable in its environment is not a run id', async () => {
    const server = await listen();
    launch(client, server, { cookie: `${run}; x` });
    expect(await traceCaller(await server.connection(), noRuns)).toEqual({ kind: 'outside' });
  });

  it('is unknown when the connection is closed or does not exist', async () => {
    const server = await listen();
    const { pid, kill, ended } = launch(client, server);
    const connection = await server.connection();
    kill();
    await ended;
    const live = new Map([[pid, run]]);
    expect(await traceCaller(connection, live)).toEqual({ kind: 'unknown' });
    expect(await traceCaller({ ...connection, clientPort: 1 }, live)).toEqual({ kind: 'unknown' });
    expect(await traceCaller({ ...connection, clientAddress: 'nonsense' }, live)).toEqual({
      kind: 'unknown',
    });
  });
});

describe.runIf(has('/proc', process.platform === 'linux'))('the user behind a connection', () => {
  it('is the user of the process that opened it', async () => {
    const server = await listen();
    launch(client, server);
    expect(await userOfCaller(await server.connection())).toBe(process.geteuid?.());
  });

  it.runIf(canBecomeOrdinary)('is another user if that user opened it', async () => {
    const server = await listen();
    // The interpreter may be in a folder that this user cannot read, so everything is loaded before.
    const become = `host.encode("idna"); os.setuid(${ordinaryUser})`;
    launch(`${prelude}${become}\nsocket.create_connection((host, port)).recv(1)`, server);
    expect(await userOfCaller(await server.connection())).toBe(ordinaryUser);
  });

  it.runIf(hasIpv6)('is found for IPv6, and for IPv4 through an IPv6 socket', async () => {
    const server = await listen('::');
    for (const host of ['::1', '127.0.0.1']) {
      launch(client, { ...server, host });
      expect(await userOfCaller(await server.connection())).toBe(process.geteuid?.());
    }
  });

  it('is unknown, not root, when its process has closed it', async () => {
    const server = await listen();
    const { kill, ended } = launch(client, server);
    const connection = await server.connection();
    kill();
    await ended;
    expect(await userOfCaller(connection)).toBeNull();
    expect(await userOfCaller({ ...connection, clientPort: 1 })).toBeNull();
  });
});

function found(runId: string) {
  return { kind: 'run', runId };
}

interface Listener {
  readonly host: string;
  readonly port: number;
  /** The next incoming connection. */
  connection(): Promise<Connection>;
  hangUp(): void;
}

async function listen(host = '127.0.0.1', port = 0): Promise<Listener> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    server.emit('arrival');
  });
  server.listen(port, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    hangUp();
    server.close();
    await once(server, 'close');
  });
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  let taken = 0;
  return {
    host,
    port: portOf(server.address()),
    hangUp,
    async connection() {
      while (sockets.length <= taken) await once(server, 'arrival');
      const { remoteAddress, remotePort, localAddress, localPort } = sockets[taken++] ?? {};
      return {
        clientAddress: remoteAddress ?? '',
        clientPort: remotePort ?? 0,
        serverAddress: localAddress ?? '',
        serverPort: localPort ?? 0,
      };
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface LaunchOptions {
  cookie?: string;
  detached?: boolean;
}

/** Starts a program that exits with the test: clients when their connection closes, the others when their input closes. */
function launch(program: string, server: Listener, { cookie, detached = false }: LaunchOptions = {}) {
  const child = spawn('python3', ['-c', program, server.host, String(server.port)], {
    env: { PATH: testPath, ...(cookie !== undefined && { HOB_RUN_ID: cookie }) },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached,
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    server.hangUp();
    child.stdin.end();
    child.stdout.resume();
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    ended,
    kill: () => child.kill('SIGKILL'),
    async line() {
      const [chunk] = await once(child.stdout, 'data');
      return String(chunk).trim();
    },
  };
}
