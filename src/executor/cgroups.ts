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
import { isAlive } from '../shared/is-alive.ts';

/** The cgroup of one run: whoever was born in it cannot leave it, whatever it does to its session, parents or environment. */
export interface RunCgroup {
  /**
   * Puts a process in. The kernel takes some ten milliseconds for that, which nobody waits for: children that were born in
   * the meantime are put in as well, as long as they can be found by their parent.
   */
  adopt(pid: number): Promise<void>;
  pids(): number[];
  /** Whether anybody is alive in it, by the kernel's own count. */
  isPopulated(): boolean;
  /** Ends everybody in it at once. */
  kill(): void;
  /** Whether it could be removed: only an empty one can. */
  remove(): boolean;
}

/** The cgroups of an executor's runs, below the cgroup it was started in. */
export class Cgroups {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Null where no cgroup can be had: another system, an older kernel, or no permission. */
  static open(name: string): Cgroups | null {
    const own = process.platform === 'linux' ? findOwnCgroup() : null;
    if (own === null) return null;
    try {
      // Moving a process takes the right to write where it comes from, too.
      accessSync(join(own, 'cgroup.procs'), constants.W_OK);
      removeStale(own);
      const folder = join(own, name);
      mkdirSync(folder);
      if (existsSync(join(folder, 'cgroup.kill'))) return new Cgroups(folder);
      rmdirSync(folder);
    } catch {
      // Not ours to use.
    }
    return null;
  }

  /** Null when the system lets us have no further one. */
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
        // It has ended already.
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
        // Whoever is left is found by other means.
      }
    },
    remove() {
      return tryRemove(folder);
    },
  };
}

/** Removes what is empty of an executor's cgroups: what scripts left running on purpose stays where it is. */
export function removeCgroups(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) tryRemove(join(folder, entry.name));
    }
  } catch {
    // Removed by somebody else.
  }
  tryRemove(folder);
}

/** What executors that were killed could not remove, also those of homes that are gone by now. */
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
    // Still in use, unless it is gone.
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

/** The folder of our own cgroup: where version 2 is mounted differs, and so does which part of the tree a container sees. */
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
