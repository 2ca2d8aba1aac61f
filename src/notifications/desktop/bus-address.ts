import { type BigIntStats, statSync } from 'node:fs';
import { join } from 'node:path';

/** A socket of the session bus, as a connection needs it. */
export interface BusAddress {
  /** A path, or a name that begins with NUL for what is in no folder. */
  readonly path: string;
  /** Another text when another bus is there: a desktop that was left and entered again has a new socket at the old path. */
  readonly identity: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the session bus is; null when nothing says so. Looked up anew each time: a desktop may come later than the service. */
export function findBusAddress(environment: Environment): BusAddress | null {
  const runtimeBus = environment.XDG_RUNTIME_DIR ? join(environment.XDG_RUNTIME_DIR, 'bus') : null;
  for (const address of environment.DBUS_SESSION_BUS_ADDRESS?.split(';') ?? []) {
    const path = socketPath(address, runtimeBus);
    if (path !== null) return identify(path);
  }
  return runtimeBus !== null && isSocket(runtimeBus) ? identify(runtimeBus) : null;
}

/**
 * Only sockets of this machine: over a network the desktop is not the person's own, and an address that names a program to
 * start (`unixexec:`, `autolaunch:`) would leave that program behind.
 */
function socketPath(address: string, runtimeBus: string | null): string | null {
  const rest = /^\s*unix:(.*)$/.exec(address)?.[1];
  if (rest === undefined) return null;
  for (const pair of rest.split(',')) {
    const [key, value = ''] = pair.split(/=(.*)/s);
    const text = decodeValue(value.trim());
    if (text === '') continue;
    if (key === 'path') return text;
    if (key === 'abstract') return `\0${text}`;
    if (key === 'runtime') return runtimeBus;
  }
  return null;
}

/** In an address every byte that is not plain is written as %xx. */
function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function identify(path: string): BusAddress {
  const found = look(path);
  return { path, identity: `${path} ${found?.ino} ${found?.ctimeNs}` };
}

function isSocket(path: string): boolean {
  return look(path)?.isSocket() ?? false;
}

function look(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    // Not there, not in any folder, or not to be looked at: connecting will say which.
    return undefined;
  }
}
