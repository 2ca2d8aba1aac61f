import { type BigIntStats, statSync } from 'node:fs';
import { join } from 'node:path';

export interface BusAddress {
  /** A path, or an abstract name that starts with NUL. */
  readonly path: string;
  /** Identifies the bus: after a new login, another bus has a new socket at the same path. */
  readonly identity: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the address of the session bus, or null. Looked up each time, because a desktop may start after the service. */
export function findBusAddress(environment: Environment): BusAddress | null {
  const runtimeBus = environment.XDG_RUNTIME_DIR ? join(environment.XDG_RUNTIME_DIR, 'bus') : null;
  for (const address of environment.DBUS_SESSION_BUS_ADDRESS?.split(';') ?? []) {
    const path = socketPath(address, runtimeBus);
    if (path !== null) return identify(path);
  }
  return runtimeBus !== null && isSocket(runtimeBus) ? identify(runtimeBus) : null;
}

/**
 * Accepts only local sockets. Over a network, the desktop may belong to another user, and an address that names a program to start
 * (`unixexec:`, `autolaunch:`) would leave that program running.
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

/** An address encodes special bytes as %xx. */
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
    // Missing, abstract or not accessible: the connection attempt reports the reason.
    return undefined;
  }
}
