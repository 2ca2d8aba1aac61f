import { readdir, readFile, readlink } from 'node:fs/promises';

import { type ProcessStat, parseProcessStat } from '../../shared/process-stat.ts';

// A process may exit between two reads or belong to another user. In both cases its files cannot be read, which is not
// an error.

/** Equals the size of Node's thread pool. More concurrent reads would gain nothing. */
const readersAtOnce = 4;
const linksAtOnce = 64;

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
export async function findHolders(pids: readonly number[], inode: string): Promise<number[]> {
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
