import { runCookie } from '../../execution/messages.ts';
import { type Connection, findSocketInode } from './find-socket-inode.ts';
import { childrenOf, findHolders, listProcesses, readStat, readVariable } from './proc-files.ts';

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
  const inode = await findSocketInode(connection);
  if (inode === null) return { kind: 'unknown' };
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
