import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createClient, toPlain } from 'dbus-native';
import { onTestFinished } from 'vitest';

import { isRunning } from './hob.ts';
import type { Screen } from './screen.ts';
import { until } from './until.ts';

/** A session bus on which only the test starts programs. */
export interface SessionBus {
  readonly path: string;
  readonly env: { readonly DBUS_SESSION_BUS_ADDRESS: string };
  readonly process: ChildProcess;
  call(to: BusTarget, member: string, signature?: string, body?: unknown[]): Promise<unknown>;
  hasOwner(name: string): Promise<boolean>;
  /** Records the signals that daemons broadcast from now on, each as its name and its values. */
  hear(): Promise<unknown[][]>;
  kill(): Promise<void>;
}

interface BusTarget {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
}

export const notificationsName = 'org.freedesktop.Notifications';
const busItself: BusTarget = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};
const dunstTarget: BusTarget = {
  destination: notificationsName,
  path: '/org/freedesktop/Notifications',
  interface: 'org.dunstproject.cmd0',
};

// Without service folders the bus starts no daemon by itself.
const busConfig = (
  path: string,
) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

/** Starts a bus with its socket at `<folder>/bus`. It replaces an earlier bus at this path. */
export async function startBus(folder: string): Promise<SessionBus> {
  const path = join(folder, 'bus');
  const config = join(folder, 'bus.conf');
  await writeFile(config, busConfig(path));
  const daemon = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => end(daemon));
  await once(daemon.stdout, 'data');
  const connect = () => {
    const client = createClient({ busAddress: `unix:path=${path}` });
    client.connection.on('error', () => {});
    return client;
  };
  const bus: SessionBus = {
    path,
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
    process: daemon,
    async call(to, member, signature, body) {
      const client = connect();
      try {
        const message = { ...to, member, ...(signature && { signature, body: body ?? [] }) };
        return toPlain(await client.invoke(message, { timeout: 10_000 }));
      } finally {
        client.connection.stream.destroy();
      }
    },
    hasOwner: async (name) => (await bus.call(busItself, 'NameHasOwner', 's', [name])) === true,
    async hear() {
      const heard: unknown[][] = [];
      const client = connect();
      onTestFinished(() => void client.connection.stream.destroy());
      client.connection.on('message', ({ interface: from, member, body = [] }) => {
        if (from === notificationsName) heard.push([member, ...body]);
      });
      await client.addMatch(`type='signal',interface='${notificationsName}'`);
      return heard;
    },
    kill: () => end(daemon, 'SIGKILL'),
  };
  return bus;
}

export interface DaemonScene {
  readonly folder: string;
  readonly bus: SessionBus;
  readonly screen: Screen;
  readonly env?: Record<string, string>;
}

/** A program that shows notifications. */
export interface Daemon {
  readonly process: ChildProcess;
  kill(): Promise<void>;
}

const dunstConfig = `[global]
  monitor = 0
  width = 360
  height = 300
  origin = top-right
  offset = 20x20
  font = DejaVu Sans 11
  format = "<b>%s</b>\\n%b"
  markup = full
  padding = 12
  horizontal_padding = 12
  icon_position = left
  max_icon_size = 40
  notification_limit = 20
  history_length = 1000
  idle_threshold = 0
  show_age_threshold = -1
  sort = no
  stack_duplicates = false
  frame_width = 1
  corner_radius = 6
[urgency_low]
  background = "#ffffff"
  foreground = "#1f2328"
  frame_color = "#d0d7de"
[urgency_normal]
  background = "#ffffff"
  foreground = "#1f2328"
  frame_color = "#d0d7de"
[urgency_critical]
  background = "#ffffff"
  foreground = "#1f2328"
  frame_color = "#d1242f"
`;

/** A notification in dunst's history. */
export interface HistoryItem {
  readonly summary: string;
  readonly body: string;
  readonly icon_path: string;
  readonly appname: string;
}

export interface Dunst extends Daemon {
  /** Notifications that are no longer shown, the latest first, with their markup as sent. */
  history(): Promise<HistoryItem[]>;
  /** The number of bubbles on the screen. */
  displayed(): Promise<number>;
  closeAll(): Promise<void>;
}

export async function startDunst({ folder, bus, screen, env }: DaemonScene): Promise<Dunst> {
  const config = join(folder, 'dunstrc');
  await writeFile(config, dunstConfig);
  const daemon = await startDaemon('dunst', ['-conf', config], { folder, bus, screen, env: env ?? {} });
  return {
    ...daemon,
    async history() {
      const items = await bus.call(dunstTarget, 'NotificationListHistory');
      return isHistory(items) ? items : [];
    },
    async displayed() {
      const properties = { ...dunstTarget, interface: 'org.freedesktop.DBus.Properties' };
      return Number(await bus.call(properties, 'Get', 'ss', ['org.dunstproject.cmd0', 'displayedLength']));
    },
    async closeAll() {
      await bus.call(dunstTarget, 'NotificationCloseAll');
    },
  };
}

/** The path of the Xfce notification daemon on Debian, which draws buttons; null if it is not installed. */
export async function findXfceNotifyd(): Promise<string | null> {
  for (const name of await readdir('/usr/lib')) {
    const program = join('/usr/lib', name, 'xfce4', 'notifyd', 'xfce4-notifyd');
    if (existsSync(program)) return program;
  }
  return null;
}

/** Starts a daemon and waits until it owns its name on the bus. */
export async function startDaemon(
  program: string,
  args: string[],
  { folder, bus, screen, env = {} }: DaemonScene,
): Promise<Daemon> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  const daemon = spawn(program, args, {
    // A separate home, because these programs write settings and logs there.
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...bus.env, ...screen.env, ...env },
    stdio: 'ignore',
  });
  onTestFinished(() => end(daemon));
  await until(`${program} is on the bus`, () => bus.hasOwner(notificationsName));
  return { process: daemon, kill: () => end(daemon, 'SIGKILL') };
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  // A stopped process ends only after SIGCONT.
  if (await isRunning(child.pid)) child.kill('SIGCONT');
  await exited;
}

function isHistory(items: unknown): items is HistoryItem[] {
  return Array.isArray(items) && items.every((item) => typeof item === 'object' && item !== null);
}

/** Environment for a program that must find only these font families, even if others are installed. */
export async function onlyFonts(folder: string, ...families: string[]): Promise<Record<string, string>> {
  const config = join(folder, 'fonts.conf');
  const folders = families.map((family) => `<dir>/usr/share/fonts/truetype/${family}</dir>`).join('');
  const cache = `<cachedir>${join(folder, 'font-cache')}</cachedir>`;
  await writeFile(config, `<?xml version="1.0"?><fontconfig>${folders}${cache}</fontconfig>`);
  return { FONTCONFIG_FILE: config };
}
