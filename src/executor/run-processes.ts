import { setTimeout as wait } from 'node:timers/promises';
import type { Count } from '../execution/messages.ts';
import { errnoOf } from '../shared/errors.ts';
import type { RunCgroup } from './cgroups.ts';
import { type ProcessEntry, readProcessTable } from './process-table.ts';

/** A process that is exiting when its script ends does not count as left running. It gets this long to exit. */
const settleMs = 50;

/** Reading the process table takes at most one part in this many of the time of this process, however many runs end. */
const restFactor = 25;

/**
 * Counts the processes that runs left running when they ended by themselves. One reading of the process table serves
 * all runs that ended before it.
 */
export class Census {
  readonly #report: (counts: readonly Count[]) => void;
  readonly #mayAnyBeLeft: () => boolean;
  #waiting: RunProcesses[] = [];
  /** Runs whose cgroup contains processes that they left running. The cgroup can be removed when those have ended. */
  #occupied: RunProcesses[] = [];
  #counting: Promise<void> | undefined;

  constructor(report: (counts: readonly Count[]) => void, mayAnyBeLeft: () => boolean) {
    this.#report = report;
    this.#mayAnyBeLeft = mayAnyBeLeft;
  }

  /** Counts soon. If the process table cannot be read, the count stays unknown. */
  add(run: RunProcesses): void {
    this.#waiting.push(run);
    this.#counting ??= this.#count();
  }

  /** Resolves when no run waits to be counted. */
  async settled(): Promise<void> {
    await this.#counting;
  }

  async #count(): Promise<void> {
    let restMs = settleMs;
    while (this.#waiting.length > 0) {
      await wait(restMs);
      const runs = this.#waiting;
      this.#waiting = [];
      const startedMs = performance.now();
      const sinceTicks = Math.min(...runs.map((run) => run.sinceTicks));
      const table = this.#mayAnyBeLeft() ? await readProcessTable(sinceTicks) : [];
      if (table !== null) this.#report(runs.map((run) => countIn(run, table)));
      this.#occupied = [...this.#occupied, ...runs].filter(({ cgroup }) => cgroup?.remove() === false);
      restMs = Math.max(settleMs, restFactor * (performance.now() - startedMs));
    }
    // Reset in the same turn in which the list was found empty, so that the next `add` starts a new count.
    this.#counting = undefined;
  }
}

interface Leader {
  readonly pid: number;
  /** Zero if it could not be read. */
  readonly startTicks: number;
  /** Whether this process started the leader, and therefore observes its exit. */
  readonly isOurs: boolean;
}

/**
 * All processes of one run: the script itself, and its descendants. They are found by five traces, each of which a
 * process can hide: the cgroup of the run, its process group, its session, the variable in the environment, and descent
 * from a process that was found, now or earlier.
 */
export class RunProcesses {
  readonly runId: string;
  #cgroup: RunCgroup | null;
  readonly #leader: Leader;
  /**
   * Start times of all processes found so far, by process id: a process whose parent has ended since is still
   * recognized.
   */
  readonly #known = new Map<number, number>();
  /**
   * Whether the id of the leader still identifies the group and session of this run, and not those of another process.
   */
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

  /** Processes that are forked from now on are in this cgroup. */
  enclose(cgroup: RunCgroup): void {
    this.#cgroup = cgroup;
    void cgroup.adopt(this.#leader.pid);
  }

  /** No process of this run was started earlier. */
  get sinceTicks(): number {
    return this.#leader.startTicks;
  }

  /** The living processes of this run, according to a table of all processes. */
  findIn(table: readonly ProcessEntry[]): ProcessEntry[] {
    const { pid: leader } = this.#leader;
    const inCgroup = new Set(this.#cgroup?.pids());
    this.#isGroupOurs = this.#stillOwnsGroup(table);
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

  /**
   * Signals the group in one step, so that no process in it can escape by a fork, and each other process individually.
   */
  signal(members: readonly ProcessEntry[], signal: NodeJS.Signals): void {
    if (this.#isGroupOurs) trySignal(-this.#leader.pid, signal);
    for (const { pid, group } of members) {
      if (!this.#isGroupOurs || group !== this.#leader.pid) trySignal(pid, signal);
    }
  }

  /** Whether the group has a member, zombies included. This needs no process table. */
  isGroupAlive(): boolean {
    return this.#isGroupOurs && trySignal(-this.#leader.pid, 0);
  }

  /**
   * A group without members frees its id for other processes. We observe the exit of our own leader. The leader of
   * another executor owns the group only while it is alive itself.
   */
  #stillOwnsGroup(table: readonly ProcessEntry[]): boolean {
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

/** Returns whether there is a process with this id. */
function trySignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // EPERM: the process exists, but runs as another user, and we may not signal it.
    return errnoOf(error) === 'EPERM';
  }
}

function countIn(run: RunProcesses, table: readonly ProcessEntry[]): Count {
  return { runId: run.runId, leftRunning: run.findIn(table).length };
}
