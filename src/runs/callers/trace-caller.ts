import { readdir, readFile, readlink } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { endianness } from 'node:os';

import { runCookie } from '../../execution/messages.ts';
import { type ProcessStat, parseProcessStat } from '../../shared/process-stat.ts';

/** A connection from the server's point of view. */
export interface Connection {
  readonly clientAddress: string;
  readonly clientPort: number;
  readonly serverAddress: string;
  readonly serverPort: number;
}

/** The tables may change while they are read, and a read may then skip a line. */
const attempts = 2;

// A process may exit between two reads or belong to another user. In both cases its files cannot be read, which is not
// an error.

/** Equals the size of Node's thread pool. More concurrent reads would gain nothing. */
const readersAtOnce = 4;

const linksAtOnce = 64;

/** The origin of a connection: a process of a run, another process, or unknown. */
export type TracedCaller = { kind: 'run'; runId: string } | { kind: 'outside' } | { kind: 'unknown' };

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds the run from which a connection comes, by the process that holds its other end. Works only on Linux. `live`:
 * the leading process of every executing run, with the id of that run.
 */
export async function traceCaller(
  connection: Connection,
  live: ReadonlyMap<number, string>,
): Promise<TracedCaller> {
  if (process.platform !== 'linux') return { kind: 'unknown' };
  const inode = (await findSocket(connection))?.inode;
  if (inode === undefined) return { kind: 'unknown' };
  /** The processes that are known to belong to a run. All of them have been checked. */
  const members = new Map(live);
  return (await searchMembers(inode)) ?? (await searchOthers(inode));

  /** Searches level by level: a leader belongs to its own run, even if its ancestors include the leader of another run. */
  async function searchMembers(socket: string): Promise<TracedCaller | null> {
    for (let level = [...live.keys()]; level.length > 0; ) {
      const [holder] = await findHolders(level, socket);
      const runId = holder === undefined ? undefined : members.get(holder);
      if (runId !== undefined) return { kind: 'run', runId };
      const next: number[] = [];
      for (const { pid, parent } of await childrenOf(level)) {
        const run = members.get(parent);
        if (members.has(pid) || run === undefined) continue;
        members.set(pid, run);
        next.push(pid);
      }
      level = next;
    }
    return null;
  }

  async function searchOthers(socket: string): Promise<TracedCaller> {
    const others = (await listProcesses()).filter((pid) => !members.has(pid));
    let best: TracedCaller = { kind: 'unknown' };
    for (const holder of await findHolders(others.sort(likelyFirst), socket)) {
      const found = await classify(holder);
      if (found.kind === 'run') return found;
      if (best.kind === 'unknown') best = found;
    }
    return best;
  }

  async function classify(holder: number): Promise<TracedCaller> {
    const seen = new Set<number>();
    for (let pid = holder; pid > 1 && !seen.has(pid); ) {
      seen.add(pid);
      const stat = await readStat(pid);
      // Without the stat of the holder its origin is unknown. An unreadable ancestor belongs to another user, so it is
      // not part of a run.
      if (stat === null) return { kind: pid === holder ? 'unknown' : 'outside' };
      const runId =
        members.get(pid) ?? live.get(stat.session) ?? live.get(stat.group) ?? (await readCookie(pid));
      if (runId !== null) return { kind: 'run', runId };
      pid = stat.parent;
    }
    return { kind: 'outside' };
  }
}

/** Checks new processes first, because they call more often than old ones, and this process last. */
function likelyFirst(one: number, other: number): number {
  if (one === process.pid || other === process.pid) return one === process.pid ? 1 : -1;
  return other - one;
}

async function readCookie(pid: number): Promise<string | null> {
  const value = await readVariable(pid, runCookie);
  return value !== null && uuidPattern.test(value) ? value.toLowerCase() : null;
}

export async function listProcesses(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

export async function readStat(pid: number): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return text === '' ? null : parseProcessStat(text);
}

/** Returns the value that a variable had when the program of this process started. */
export async function readVariable(pid: number, name: string): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const line = text.split('\0').find((each) => each.startsWith(`${name}=`));
  return line?.slice(name.length + 1) ?? null;
}

/** Returns the children of some processes, each with its parent. */
export async function childrenOf(parents: readonly number[]): Promise<{ pid: number; parent: number }[]> {
  // Some kernels do not provide the lists of children.
  const own = await readFile(`/proc/self/task/${process.pid}/children`, 'latin1').catch(() => null);
  if (own === null) return childrenByParent(parents);
  const found: { pid: number; parent: number }[] = [];
  await forEachConcurrently(parents, async (parent) => {
    const threads = await readdir(`/proc/${parent}/task`).catch(() => []);
    for (const thread of threads) {
      const list = await readFile(`/proc/${parent}/task/${thread}/children`, 'latin1').catch(() => '');
      for (const pid of list.split(' ')) if (pid !== '') found.push({ pid: Number(pid), parent });
    }
  });
  return found;
}

/** Like `childrenOf`, for kernels without lists of children: reads the parent of every process. */
export async function childrenByParent(
  parents: readonly number[],
): Promise<{ pid: number; parent: number }[]> {
  const wanted = new Set(parents);
  const found: { pid: number; parent: number }[] = [];
  await forEachConcurrently(await listProcesses(), async (pid) => {
    const parent = (await readStat(pid))?.parent ?? 0;
    if (wanted.has(parent)) found.push({ pid, parent });
  });
  return found;
}

/**
 * Checks processes in this order until one of them has the socket open. Returns several if they were checked at the
 * same time.
 */
async function findHolders(pids: readonly number[], inode: string): Promise<number[]> {
  const holders: number[] = [];
  await forEachConcurrently(pids, async (pid) => {
    if (holders.length === 0 && (await holdsSocket(pid, inode))) holders.push(pid);
  });
  return holders;
}

async function holdsSocket(pid: number, inode: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  for (let at = 0; at < names.length; at += linksAtOnce) {
    const links = names
      .slice(at, at + linksAtOnce)
      .map((name) => readlink(`${folder}/${name}`).catch(() => ''));
    if ((await Promise.all(links)).includes(`socket:[${inode}]`)) return true;
  }
  return false;
}

async function forEachConcurrently<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const work = async () => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: readersAtOnce }, work));
}

interface ListedSocket {
  readonly inode: string;
  /** The user id of the process that created the socket. */
  readonly userId: number;
}

/** Returns the user id of the process that opened a connection; null if it is not known. Works only on Linux. */
export async function userOfCaller(connection: Connection): Promise<number | null> {
  return (await findSocket(connection))?.userId ?? null;
}

/** Finds the client's socket in the kernel's socket tables; null if it is not listed. */
async function findSocket(connection: Connection): Promise<ListedSocket | null> {
  const tables = tablesFor(connection);
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const { file, entry } of tables) {
      const socket = socketIn(entry, await readFile(file, 'latin1').catch(() => ''));
      if (socket !== null) return socket;
    }
  }
  return null;
}

/**
 * The tables to search, and the entry to search for. A client may reach an IPv4 address from an IPv6 socket, which is
 * listed in the other table.
 */
function tablesFor(connection: Connection): { file: string; entry: string }[] {
  const client = unmapped(connection.clientAddress);
  const server = unmapped(connection.serverAddress);
  const entry = (bytesOf: (address: string) => number[]) => {
    const ends = [
      `${addressInTable(bytesOf(client))}:${hex(connection.clientPort, 4)}`,
      `${addressInTable(bytesOf(server))}:${hex(connection.serverPort, 4)}`,
    ];
    return ` ${ends.join(' ')} `;
  };
  if (isIPv4(client) && isIPv4(server)) {
    return [
      { file: '/proc/net/tcp', entry: entry(bytesOfIpv4) },
      { file: '/proc/net/tcp6', entry: entry(bytesOfMappedIpv4) },
    ];
  }
  if (isIPv6(client) && isIPv6(server)) return [{ file: '/proc/net/tcp6', entry: entry(bytesOfIpv6) }];
  return [];
}

/** Skips inode 0: the kernel may still list a socket that its process has closed, with that inode and with the user root. */
function socketIn(entry: string, table: string): ListedSocket | null {
  for (let at = table.indexOf(entry); at !== -1; at = table.indexOf(entry, at + 1)) {
    const fields = table.slice(at + entry.length, at + entry.length + 120).split(/\s+/);
    const [_state, _queues, _timer, _retransmits, userId, _timeout, inode] = fields;
    if (inode !== undefined && inode !== '0') return { inode, userId: Number(userId) };
  }
  return null;
}

function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function bytesOfIpv4(address: string): number[] {
  return address.split('.').map(Number);
}

function bytesOfMappedIpv4(address: string): number[] {
  return [...Array<number>(10).fill(0), 0xff, 0xff, ...bytesOfIpv4(address)];
}

function bytesOfIpv6(address: string): number[] {
  const [before = [], after = []] = address
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').flatMap(bytesOfGroup)));
  return [...before, ...Array<number>(Math.max(0, 16 - before.length - after.length)).fill(0), ...after];
}

function bytesOfGroup(group: string): number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

/** The kernel prints addresses as words of four bytes, each in the byte order of this machine. */
function addressInTable(bytes: readonly number[]): string {
  const buffer = Buffer.from(bytes);
  const words: string[] = [];
  for (let at = 0; at + 4 <= buffer.length; at += 4) {
    words.push(hex(endianness() === 'LE' ? buffer.readUInt32LE(at) : buffer.readUInt32BE(at), 8));
  }
  return words.join('');
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
