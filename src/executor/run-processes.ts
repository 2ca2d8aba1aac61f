import { errnoOf } from '../shared/errors.ts';
import type { RunCgroup } from './cgroups.ts';
import type { ProcessEntry } from './process-table.ts';

interface Leader {
  readonly pid: number;
  /** Zero when it could not be read. */
  readonly startTicks: number;
  /** Whether we started it ourselves and have seen all that became of it since. */
  readonly isOurs: boolean;
}

/**
 * All processes of one run: the script itself, and whatever it started. They are found by five traces, any of which a
 * process may have covered: the run's cgroup, its process group, its session, the variable in their environment, and their
 * descent from one that was found, now or earlier.
 */
export class RunProcesses {
  readonly runId: string;
  #cgroup: RunCgroup | null;
  readonly #leader: Leader;
  /** Everybody found so far, by their start: whoever lost their parent since is still known. */
  readonly #known = new Map<number, number>();
  /** Whether the id of the leader still names its group and session, and not somebody else's. */
  #isGroupOurs: boolean;

  constructor(runId: string, leader: Leader, cgroup: RunCgroup | null) {
    this.runId = runId;
    this.#cgroup = cgroup;
    this.#leader = leader;
    this.#isGroupOurs = leader.isOurs;
  }

  get cgroup(): RunCgroup | null {
    return this.#cgroup;
  }

  /** Whoever is born from now on is in it. */
  enclose(cgroup: RunCgroup): void {
    this.#cgroup = cgroup;
    void cgroup.adopt(this.#leader.pid);
  }

  /** Nobody of this run was started earlier. */
  get sinceTicks(): number {
    return this.#leader.startTicks;
  }

  /** Who of this run is alive, by a table of all processes. */
  findIn(table: readonly ProcessEntry[]): ProcessEntry[] {
    const { pid: leader } = this.#leader;
    const inCgroup = new Set(this.#cgroup?.pids());
    this.#isGroupOurs = this.#leadsStill(table);
    const members = new Map<number, ProcessEntry>();
    for (const entry of table) {
      const isMember =
        inCgroup.has(entry.pid) ||
        entry.runId === this.runId ||
        (this.#isGroupOurs && (entry.group === leader || entry.session === leader)) ||
        this.#known.get(entry.pid) === entry.startTicks;
      if (isMember && entry.pid !== process.pid) members.set(entry.pid, entry);
    }
    addDescendants(members, table);
    for (const entry of members.values()) this.#known.set(entry.pid, entry.startTicks);
    return [...members.values()];
  }

  /** Signals the group in one step, so that nobody in it can fork away in between, and each of the others. */
  signal(members: readonly ProcessEntry[], signal: NodeJS.Signals): void {
    if (this.#isGroupOurs) trySignal(-this.#leader.pid, signal);
    for (const { pid, group } of members) {
      if (!this.#isGroupOurs || group !== this.#leader.pid) trySignal(pid, signal);
    }
  }

  /** Whether anybody is in the group, dead ones who wait to be buried included: all that can be told without looking. */
  isGroupAlive(): boolean {
    return this.#isGroupOurs && trySignal(-this.#leader.pid, 0);
  }

  /**
   * A group without members frees its id for somebody else. We would see our own leader go; of another's we know only that
   * the group is its own for as long as the leader itself is there.
   */
  #leadsStill(table: readonly ProcessEntry[]): boolean {
    const { pid, startTicks, isOurs } = this.#leader;
    const holder = table.find((entry) => entry.pid === pid);
    if (holder === undefined || startTicks === 0) return isOurs;
    return holder.startTicks === startTicks;
  }
}

function addDescendants(members: Map<number, ProcessEntry>, table: readonly ProcessEntry[]): void {
  for (let grown = members.size > 0; grown; ) {
    grown = false;
    for (const entry of table) {
      if (members.has(entry.pid) || !members.has(entry.parent) || entry.pid === process.pid) continue;
      members.set(entry.pid, entry);
      grown = true;
    }
  }
}

/** Whether there was anybody to signal. */
function trySignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // EPERM: there is somebody, who has become another user, and whom we cannot reach.
    return errnoOf(error) === 'EPERM';
  }
}
