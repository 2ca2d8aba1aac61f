import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { traceProcesses } from './processes.ts';
import { launchScreen, type Screen } from './screen.ts';

/** A screen, a message bus and a home folder, which programs with windows need. */
export interface Desk {
  readonly screen: Screen;
  /** Environment for programs that use this desktop. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops the desktop. Fails if any of its programs is still running. */
  stop(): Promise<void>;
}

/** Programs that the desktop needs. */
export const deskPrograms = ['Xvfb', 'dbus-daemon', 'xdotool', 'xwininfo', 'import'];

/** Programs that let a test read what is in windows. They continue to run after the desktop has stopped. */
const accessibilityPrograms = ['at-spi-bus-launcher', 'accessibility.conf', 'at-spi2-registryd'];

/** Starts a desktop for a whole test file. The caller must stop it. */
export async function launchDesk({ isReadable = false } = {}): Promise<Desk> {
  const home = await mkdtemp(join(tmpdir(), 'hob-desk-'));
  const runtime = join(home, 'runtime');
  await mkdir(runtime, { mode: 0o700 });
  const screen = await launchScreen();
  const trace = traceProcesses();
  const env = {
    ...trace.env,
    ...screen.env,
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    ...(isReadable ? {} : { NO_AT_BRIDGE: '1', GTK_A11Y: 'none' }),
    GSETTINGS_BACKEND: 'memory',
  };
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=3'], {
    // Programs that the bus starts inherit its environment.
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const exited = once(bus, 'exit');
  const pipe = bus.stdio[3];
  if (!pipe) throw new Error('dbus-daemon has no pipe to print its address to');
  const [address] = await Promise.race([once(pipe, 'data'), exited.then(() => ['' as const])]);
  if (String(address) === '') throw new Error('dbus-daemon ended without an address');
  return {
    screen,
    env: { ...env, DBUS_SESSION_BUS_ADDRESS: String(address).trim() },
    async stop() {
      // The screen stops first, because programs with windows end with it.
      await screen.stop();
      if (bus.exitCode === null && bus.signalCode === null) bus.kill();
      await exited;
      if (isReadable) await trace.kill(accessibilityPrograms);
      await trace.noneLeft();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
