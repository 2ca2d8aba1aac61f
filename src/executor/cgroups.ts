import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { isAlive } from '../shared/process-stat.ts';

/**
 * The cgroup of one run. A process that is forked in it cannot leave it by changing its session, parent or environment.
 */
export interface RunCgroup {
  /**
   * Moves a process into the cgroup. The kernel takes some ten milliseconds for that, and no caller waits for it.
   * Children that were forked meanwhile are moved as well, as long as their parent is known.
   */
  adopt(pid: number): Promise<void>;
  pids(): number[];
  /** Whether a living process is in it, according to the kernel. */
  isPopulated(): boolean;
  /** Kills all processes in it at once. */
  kill(): void;
  /** Returns whether it was removed: only an empty cgroup can be removed. */
  remove(): boolean;
}

/** The cgroups of an executor's runs, below the cgroup in which the executor was started. */
export class Cgroups {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Null where cgroups are not available: another system, an older kernel, or no permission. */
  static open(name: string): Cgroups | null {
    const own = process.platform === 'linux' ? findOwnCgroup() : null;
    if (own === null) return null;
    try {
      // Moving a process also requires write permission on the cgroup that it leaves.
      accessSync(join(own, 'cgroup.procs'), constants.W_OK);
      removeStale(own);
      const folder = join(own, name);
      mkdirSync(folder);
      if (existsSync(join(folder, 'cgroup.kill'))) return new Cgroups(folder);
      rmdirSync(folder);
    } catch {
      // We have no permission to use it.
    }
    return null;
  }

  /** Null if the system refuses to create another cgroup. */
  forRun(runId: string): RunCgroup | null {
    const folder = join(this.folder, runId);
    try {
      mkdirSync(folder);
    } catch {
      return null;
    }
    return cgroupAt(folder);
  }

  close(): void {
    removeCgroups(this.folder);
  }
}

export function cgroupAt(folder: string): RunCgroup {
  const members = join(folder, 'cgroup.procs');
  return {
    async adopt(pid) {
      try {
        await writeFile(members, String(pid));
        for (const child of childrenOf(pid)) await this.adopt(child);
      } catch {
        // The process has ended already.
      }
    },
    pids() {
      try {
        return readFileSync(members, 'latin1').split('\n').filter(Boolean).map(Number);
      } catch {
        return [];
      }
    },
    isPopulated() {
      try {
        return /^populated 1$/m.test(readFileSync(join(folder, 'cgroup.events'), 'latin1'));
      } catch {
        return false;
      }
    },
    kill() {
      try {
        writeFileSync(join(folder, 'cgroup.kill'), '1');
      } catch {
        // The remaining processes are found by other means.
      }
    },
    remove() {
      return tryRemove(folder);
    },
  };
}

/** Removes the empty cgroups of an executor. Processes that scripts left running on purpose stay in theirs. */
export function removeCgroups(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) tryRemove(join(folder, entry.name));
    }
  } catch {
    // Another process has removed it.
  }
  tryRemove(folder);
}

/** Removes cgroups of executors that were killed, including those of homes that no longer exist. */
function removeStale(own: string): void {
  for (const name of readdirSync(own)) {
    const pid = Number(/^hob-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) removeCgroups(join(own, name));
  }
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    // It is still in use, unless it does not exist.
    return errnoOf(error) === 'ENOENT';
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function findOwnCgroup(): string | null {
  try {
    return ownCgroup(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
  } catch {
    return null;
  }
}

/**
 * The folder of our own cgroup. The mount point of cgroup v2 differs between systems, and a container sees only a part
 * of the tree.
 */
export function ownCgroup(mountinfo: string, membership: string): string | null {
  const path = /^0::(\/.*)$/m.exec(membership)?.[1];
  if (path === undefined) return null;
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    if (!after.startsWith('cgroup2 ')) continue;
    const [, , , root = '/', mountPoint = ''] = before.split(' ').map(unescapeMount);
    if (root === '/') return join(mountPoint, path);
    if (path === root || path.startsWith(`${root}/`)) return join(mountPoint, path.slice(root.length));
  }
  return null;
}

function unescapeMount(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_match, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
