import { readdir, readFile, readlink } from 'node:fs/promises';

import { type ProcessStat, parseProcessStat } from '../../shared/process-stat.ts';

// A process may vanish between two looks, or belong to somebody else. Either way there is nothing to see, which is no error.

/** More at once than the threads that read for Node gains nothing. */
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

/** The value that a variable had when the program of this process began. */
export async function readVariable(pid: number, name: string): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const line = text.split('\0').find((each) => each.startsWith(`${name}=`));
  return line?.slice(name.length + 1) ?? null;
}

/** The children of some processes, each with its parent. */
export async function childrenOf(parents: readonly number[]): Promise<{ pid: number; parent: number }[]> {
  // Not every kernel keeps the lists of children.
  const own = await readFile(`/proc/self/task/${process.pid}/children`, 'latin1').catch(() => null);
  if (own === null) return childrenByParent(parents);
  const found: { pid: number; parent: number }[] = [];
  await forEachAtOnce(parents, async (parent) => {
    const threads = await readdir(`/proc/${parent}/task`).catch(() => []);
    for (const thread of threads) {
      const list = await readFile(`/proc/${parent}/task/${thread}/children`, 'latin1').catch(() => '');
      for (const pid of list.split(' ')) if (pid !== '') found.push({ pid: Number(pid), parent });
    }
  });
  return found;
}

/** The same for a kernel without such lists: everybody is asked for its parent. */
export async function childrenByParent(
  parents: readonly number[],
): Promise<{ pid: number; parent: number }[]> {
  const wanted = new Set(parents);
  const found: { pid: number; parent: number }[] = [];
  await forEachAtOnce(await listProcesses(), async (pid) => {
    const parent = (await readStat(pid))?.parent ?? 0;
    if (wanted.has(parent)) found.push({ pid, parent });
  });
  return found;
}

/** Asks processes in this order until one is found that has the socket open. Those who are asked at the same time may have it, too. */
export async function findHolders(pids: readonly number[], inode: string): Promise<number[]> {
  const holders: number[] = [];
  await forEachAtOnce(pids, async (pid) => {
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

async function forEachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const work = async () => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: readersAtOnce }, work));
}
