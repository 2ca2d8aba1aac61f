import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import type { FastifyInstance } from 'fastify';

import type { HttpMetrics } from '../../metrics/metrics.ts';
import { inUrl, isLoopback } from '../../shared/addresses.ts';
import { errnoOf } from '../../shared/errors.ts';
import { type ConnectionLimits, Connections } from './access-rules.ts';
import { createGuardedServer } from './guarded-server.ts';
import type { TokenGuard } from './token-guard.ts';

const unknownLimit = Number.POSITIVE_INFINITY;

interface ListenOptions {
  app: FastifyInstance;
  addresses: readonly string[];
  /** 0: any free port. */
  port: number;
  /** Tried first if `port` is 0. */
  preferredPort: number | null;
  extraHosts: readonly string[];
  trustedOrigins: readonly string[];
  /** Null: the service requires no token. */
  guard: TokenGuard | null;
  maxConnections: number;
  receiveMs: number;
  metrics: HttpMetrics;
}

export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Addresses that other machines can reach, for display. */
  readonly beyond: readonly string[];
  /** Lets answers in progress finish, unless the signal is aborted. */
  close(now: AbortSignal): Promise<void>;
}

/** Share of the file handles that connections may use, and share that idle ones may use. */
const handlesForConnections = 0.5;
const handlesForIdle = 0.25;
const plainPort = 80;
const attemptsAtRandomPorts = 20;
const closeSweepMs = 50;
const closeWithinMs = 2000;

/** Listens on all addresses with the same port, with the access rules in front of the application. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const wanted =
    options.port === 0
      ? [options.preferredPort ?? 0, ...Array(attemptsAtRandomPorts).fill(0)]
      : [options.port];
  let refusal: unknown;
  for (const port of wanted) {
    try {
      return await openAll(options, port);
    } catch (error) {
      refusal = error;
      if (errnoOf(error) !== 'EADDRINUSE') throw error;
    }
  }
  throw refusal;
}

async function openAll(options: ListenOptions, port: number): Promise<Listening> {
  const servers: Server[] = [];
  const opened: string[] = [];
  const policy = { hosts: new Set<string>(), trustedOrigins: new Set(options.trustedOrigins) };
  const connections = new Connections(limitsFor(options));
  let chosen = port;
  try {
    for (const address of options.addresses) {
      const reached = isWildcard(address) ? reachedHosts : null;
      const server = createGuardedServer({ ...options, policy, connections, reached });
      try {
        chosen = await open(server, address, chosen);
      } catch (error) {
        // A machine without IPv6 is still reachable through the other address.
        const isAbsent = errnoOf(error) === 'EADDRNOTAVAIL' || errnoOf(error) === 'EAFNOSUPPORT';
        if (isAbsent && address === '::1' && options.addresses.length > 1) continue;
        throw error;
      }
      servers.push(server);
      opened.push(address);
    }
  } catch (error) {
    await Promise.all(servers.map((server) => closeServer(server, AbortSignal.abort())));
    throw error;
  }
  const own = [...options.addresses.filter((address) => !isWildcard(address)).map(inUrl), ...loopbackNames];
  const named = own.flatMap((name) => hostsFor(name, chosen));
  for (const host of [...named, ...options.extraHosts]) policy.hosts.add(host.toLowerCase());
  return {
    port: chosen,
    url: `http://${inUrl(nearestOf(opened))}:${chosen}`,
    beyond: opened.filter((address) => !isLoopback(address)).map((address) => describePlace(address, chosen)),
    async close(now) {
      await Promise.all(servers.map((server) => closeServer(server, now)));
    },
  };
}

function limitsFor({ maxConnections, receiveMs }: ListenOptions): ConnectionLimits {
  const handles = readHandleLimit();
  const possible = Math.floor(handles * handlesForConnections);
  const isShort = possible < maxConnections;
  return {
    most: isShort ? possible : maxConnections,
    reason: isShort
      ? { en: `half of the limit of ${handles} file handles`, zh: `文件句柄上限 ${handles} 的一半` }
      : { en: 'setting max_connections', zh: '设置 max_connections' },
    mostIdle: Math.ceil(handles * handlesForIdle),
    pauseMs: receiveMs,
  };
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The forms in which clients write a host. Most clients omit the default port of HTTP. Ruby clients omit the brackets of an
 * IPv6 address; this is safe to accept, because the result cannot be a host name.
 */
function hostsFor(name: string, port: number): string[] {
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return [name, bare].flatMap((host) =>
    port === plainPort ? [`${host}:${port}`, host] : [`${host}:${port}`],
  );
}

/** The address that programs on this machine use. */
function nearestOf(opened: readonly string[]): string {
  const [first = '127.0.0.1'] = opened;
  const near = opened.find(isLoopback);
  if (near !== undefined) return near;
  if (opened.includes('0.0.0.0')) return '127.0.0.1';
  return first === '::' ? '::1' : first;
}

function describePlace(address: string, port: number): string {
  if (!isWildcard(address)) return `http://${inUrl(address)}:${port}`;
  return `all ${address === '::' ? '' : 'IPv4 '}addresses of this machine (${address}), port ${port}`;
}

function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

function reachedHosts({ localAddress, localPort }: Socket): readonly string[] {
  if (localAddress === undefined || localPort === undefined) return [];
  // On a dual-stack socket an IPv4 address has the prefix ::ffff:. A link-local address ends with %<interface>.
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*/, '');
  return hostsFor(inUrl(address), localPort);
}

function open(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.removeListener('error', reject);
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Accepts no new connections. Closes each connection when its last answer is complete, or when the time is up. */
function closeServer(server: Server, now: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), closeSweepMs);
    const closeAll = () => server.closeAllConnections();
    const timer = setTimeout(closeAll, closeWithinMs);
    now.addEventListener('abort', closeAll, { once: true });
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(timer);
      now.removeEventListener('abort', closeAll);
      resolve();
    });
    if (now.aborted) closeAll();
  });
}

/** The maximum number of file handles of this process; infinite if the system does not report it. */
function readHandleLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || unknownLimit;
  } catch {
    return unknownLimit;
  }
}
