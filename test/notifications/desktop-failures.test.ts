import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import type { Bubble } from '../../src/notifications/desktop/desktop.ts';
import { openDesktop } from '../../src/notifications/desktop/open-desktop.ts';
import { createLogger } from '../../src/shared/log.ts';
import { type Dunst, type SessionBus, startBus, startDunst } from '../support/desktop.ts';
import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { boundMs } from '../support/scale.ts';
import { launchScreen, type Screen } from '../support/screen.ts';
import { until } from '../support/until.ts';

const programs = ['Xvfb', 'dbus-daemon', 'dunst'];
const isHere = has(
  'a bus and a screen',
  programs.every((name) => findProgram(name) !== null),
);

const bubble: Bubble = {
  type: 'error',
  title: 'Hob',
  message: 'is it there?',
  durationMs: 0,
  showClose: true,
  address: null,
};

let screen: Screen;

interface Desk {
  readonly folder: string;
  bus: SessionBus | null;
  dunst: Dunst | null;
}

/** A desktop that is missing or does not work. */
interface Failure {
  readonly name: string;
  readonly state: 'unreachable' | 'none';
  /** Null: only the folder that should contain the bus is known. */
  readonly address?: null;
  /** Causes the failure. `undo` reverts it if starting the missing programs is not enough. */
  readonly make: (desk: Desk) => Promise<void>;
  readonly undo?: (desk: Desk) => Promise<void>;
}

/** Starts the missing programs of a desktop. */
async function startMissing(desk: Desk): Promise<Dunst> {
  desk.bus ??= await startBus(desk.folder);
  desk.dunst ??= await startDunst({ folder: desk.folder, bus: desk.bus, screen });
  return desk.dunst;
}

async function killBus(desk: Desk): Promise<void> {
  await desk.bus?.kill();
  await desk.dunst?.kill();
  desk.bus = null;
  desk.dunst = null;
}

/** A server at the address of the bus that is not a bus. */
function pretend(answer: (socket: Socket) => void): Pick<Failure, 'make' | 'undo'> {
  let stop = async () => {};
  return {
    async make({ folder }) {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        answer(socket);
      }).listen(join(folder, 'bus'));
      await once(server, 'listening');
      stop = async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      };
      onTestFinished(stop);
    },
    undo: () => stop(),
  };
}

const garbage = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256));
/** A message that declares the largest possible size. */
const giant = Buffer.from('6c0200010000ffff01000000ffffff7f', 'hex');

/** Accepts a client like a bus, and then sends these bytes instead of a bus message. */
function afterLogin(words: Buffer) {
  return (socket: Socket) => {
    socket.on('data', (chunk) => {
      const said = chunk.toString('latin1');
      if (said.includes('AUTH')) socket.write('OK 0123456789abcdef0123456789abcdef\r\n');
      if (said.includes('BEGIN')) socket.write(words);
    });
  };
}

const failures: Failure[] = [
  { name: 'no bus', state: 'none', address: null, make: async () => {} },
  { name: 'no bus at its address', state: 'unreachable', make: async () => {} },
  {
    name: 'a socket without a listener',
    state: 'unreachable',
    async make(desk) {
      desk.bus = await startBus(desk.folder);
      await killBus(desk);
    },
  },
  {
    name: 'a file in place of the socket',
    state: 'unreachable',
    make: ({ folder }) => writeFile(join(folder, 'bus'), ''),
    undo: ({ folder }) => rm(join(folder, 'bus')),
  },
  { name: 'a silent socket', state: 'unreachable', ...pretend(() => {}) },
  { name: 'a socket that hangs up', state: 'unreachable', ...pretend((socket) => socket.end()) },
  { name: 'a socket that resets', state: 'unreachable', ...pretend((socket) => socket.destroy()) },
  {
    name: 'a socket that refuses',
    state: 'unreachable',
    ...pretend((socket) => void socket.write('REJECTED DBUS_COOKIE_SHA1\r\n'.repeat(9))),
  },
  {
    name: 'a bus that sends garbage',
    state: 'unreachable',
    ...pretend((socket) => void socket.write(garbage)),
  },
  { name: 'a bus that sends garbage after the login', state: 'unreachable', ...pretend(afterLogin(garbage)) },
  { name: 'a bus with a message of 2 GB', state: 'unreachable', ...pretend(afterLogin(giant)) },
  {
    name: 'a bus that is silent after the login',
    state: 'unreachable',
    ...pretend(afterLogin(Buffer.alloc(0))),
  },
  {
    name: 'a bus without a daemon',
    state: 'unreachable',
    async make(desk) {
      desk.bus = await startBus(desk.folder);
    },
  },
  {
    name: 'a daemon that has died',
    state: 'unreachable',
    async make(desk) {
      const dunst = await startMissing(desk);
      await dunst.kill();
      desk.dunst = null;
    },
  },
  {
    name: 'a daemon that is frozen',
    state: 'unreachable',
    async make(desk) {
      const dunst = await startMissing(desk);
      dunst.process.kill('SIGSTOP');
    },
    async undo({ dunst }) {
      dunst?.process.kill('SIGCONT');
    },
  },
];

async function startScene(failure: Failure | null) {
  const folder = await tempFolder();
  const address = failure?.address === null ? {} : { DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus` };
  const environment = { ...address, XDG_RUNTIME_DIR: folder, PATH: process.env.PATH ?? '' };
  const desktop = openDesktop({
    platform: 'linux',
    environment,
    language: 'en',
    log: await createLogger('silent'),
  });
  onTestFinished(() => desktop.close());
  const desk: Desk = { folder, bus: null, dunst: null };
  return { desk, desktop, environment };
}

/** Sends a notification and checks the answer, which never depends on the desktop. */
async function notify(hob: Hob, message: string): Promise<void> {
  const askedMs = performance.now();
  const { status, body } = await hob.post('/api/notify', { notify_type: 'info', message, duration: 0 });
  expect({ status, body }).toEqual({ status: 200, body: { success: true } });
  expect(performance.now() - askedMs).toBeLessThan(boundMs(2500));
}

async function showsWithin(desktop: { show(bubble: Bubble): Promise<boolean> }): Promise<boolean> {
  const askedMs = performance.now();
  const isShown = await desktop.show(bubble);
  expect(performance.now() - askedMs).toBeLessThan(boundMs(2500));
  return isShown;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe.runIf(isHere)('a desktop that fails', () => {
  beforeAll(async () => {
    screen = await launchScreen();
  });
  afterAll(() => screen?.stop());

  it.each(failures.map((failure) => [failure.name, failure] as const))(
    'is not tried for a while, and found again: %s',
    async (_, failure) => {
      const { desk, desktop, environment } = await startScene(failure);
      const hob = await startHob({ env: environment });
      await failure.make(desk);

      // Both at the same time: neither may delay the other.
      const [isShown] = await Promise.all([showsWithin(desktop), notify(hob, 'too early')]);
      expect(isShown).toBe(false);
      expect(desktop.state).toBe(failure.state);
      // The desktop is not tried again for a while, because a timeout would take two seconds.
      const askedMs = performance.now();
      expect(await desktop.show(bubble)).toBe(false);
      expect(performance.now() - askedMs).toBeLessThan(1900);
      await until(
        'health has noticed',
        async () => (await hob.get('/api/health')).body.desktop === failure.state,
      );
      await notify(hob, 'still too early');

      await failure.undo?.(desk);
      const dunst = await startMissing(desk);
      await until('it shows again', async () => showsWithin(desktop));
      expect(desktop.state).toBe('ready');
      await until('the service shows again', async () => {
        const before = await dunst.displayed();
        await notify(hob, 'here again');
        await until('an attempt', async () => (await dunst.displayed()) > before, 1500).catch(() => null);
        return (await hob.get('/api/health')).body.desktop === 'ready' && (await dunst.displayed()) > before;
      });

      // Logged once when it begins, and once when it is over.
      const logLines = failure.state === 'unreachable' ? 1 : 0;
      expect(count(hob.log(), 'desktop is unreachable')).toBe(logLines);
      expect(count(hob.log(), 'desktop is reachable again')).toBe(logLines);
      if (logLines) expect(hob.log()).toMatch(/"problem":"[^"]{20,}","hint":"[^"]{20,}"/);
    },
  );

  it('costs only the current bubble when the bus is killed while it is shown', async () => {
    const { desk, desktop, environment } = await startScene(null);
    const dunst = await startMissing(desk);
    const hob = await startHob({ env: environment });
    expect(await showsWithin(desktop)).toBe(true);
    await notify(hob, 'all is well');
    await until('both are shown', async () => (await dunst.displayed()) === 2);

    dunst.process.kill('SIGSTOP');
    const pending = [showsWithin(desktop), showsWithin(desktop)];
    await notify(hob, 'into the void');
    await killBus(desk);
    expect(await Promise.all(pending)).toEqual([false, false]);

    const again = await startMissing(desk);
    expect(await showsWithin(desktop)).toBe(true);
    await notify(hob, 'here again');
    await until('both are shown again', async () => (await again.displayed()) === 2);
  });

  it('costs no bubble when the daemon is replaced by another one', async () => {
    const { desk, desktop, environment } = await startScene(null);
    const hob = await startHob({ env: environment });
    const dunst = await startMissing(desk);
    expect(await showsWithin(desktop)).toBe(true);
    await notify(hob, 'first');
    await until('both are shown', async () => (await dunst.displayed()) === 2);
    await dunst.kill();
    desk.dunst = null;
    // Requested while the daemon starts, not after.
    const pending = showsWithin(desktop);
    const again = await startMissing(desk);
    expect(await pending).toBe(true);
    await notify(hob, 'second');
    await until('both are shown by the other', async () => (await again.displayed()) === 2);
    expect(count(hob.log(), 'desktop is unreachable')).toBe(0);
  });

  it('costs no bubble when the user logs out and in again', async () => {
    const { desk, desktop, environment } = await startScene(null);
    const hob = await startHob({ env: environment });
    for (let login = 1; login <= 3; login++) {
      const dunst = await startMissing(desk);
      expect(await showsWithin(desktop)).toBe(true);
      await notify(hob, `login ${login}`);
      await until('both are shown', async () => (await dunst.displayed()) === 2);
      await killBus(desk);
    }
    expect(count(hob.log(), 'desktop is unreachable')).toBe(0);
  });
});
