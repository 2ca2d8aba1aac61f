import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

import { type Count, runCookie } from '../execution/messages.ts';
import { errnoOf, isExhaustion } from '../shared/errors.ts';
import { isAlive, parseProcessStat } from '../shared/process-stat.ts';
import { runCommand } from '../shared/run-command.ts';
import type { RunCgroup } from './cgroups.ts';

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

/** A living process: zombies are excluded. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Zero where the system does not provide it. */
  readonly session: number;
  readonly startTicks: number;
  /**
   * The run that the process belongs to, according to its environment variable; null if it has none, or may not be
   * read.
   */
  readonly runId: string | null;
}

/**
 * The number of processes that are read without a pause: other work of this process waits a millisecond or two at most.
 */
const sliceSize = 64;

/** An execve takes far less than this. On a busy machine the process may have to wait for the CPU meanwhile. */
const longestStartMs = 50;

const startingMs = 2;

/**
 * The maximum number of process lists for one table. Two suffice, unless processes start faster than they can be read.
 */
const mostLists = 20;

/**
 * The processes of this machine that were started at `sinceTicks` or later: no process of a run is older than its
 * script. Null if the table cannot be read, for example because there are no free file handles.
 */
export async function readProcessTable(sinceTicks: number): Promise<ProcessEntry[] | null> {
  if (process.platform === 'linux') return readProc(sinceTicks);
  return process.platform === 'win32' ? null : askPs();
}

async function readProc(sinceTicks: number): Promise<ProcessEntry[] | null> {
  const table: ProcessEntry[] = [];
  let patienceMs = longestStartMs;
  try {
    const looked = new Set<number>();
    // A process may fork and exit after it was listed and before it is read. Its child is in the next list.
    for (let lists = 0; lists < mostLists; lists++) {
      const pids = listPids().filter((pid) => !looked.has(pid));
      if (pids.length === 0) break;
      for (const pid of pids) {
        looked.add(pid);
        let reading = readEntry(pid, sinceTicks);
        while (reading?.isStarting && patienceMs > 0) {
          const sinceMs = performance.now();
          await wait(startingMs);
          patienceMs -= performance.now() - sinceMs;
          reading = readEntry(pid, sinceTicks);
        }
        if (reading !== null) table.push(reading.entry);
        if (looked.size % sliceSize === 0) await nextTurn();
      }
    }
  } catch {
    return null;
  }
  return table;
}

function listPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

interface Reading {
  readonly entry: ProcessEntry;
  /** The process is in execve. Its environment is empty until that completes, so its run is not known yet. */
  readonly isStarting: boolean;
}

/** Null for a process that has ended or is irrelevant. Throws only if nothing can be read at all. */
function readEntry(pid: number, sinceTicks: number): Reading | null {
  const text = read(`/proc/${pid}/stat`)?.toString('latin1');
  if (text === undefined) return null;
  const { state, parent, group, session, startTicks, isKernelThread } = parseProcessStat(text);
  if (state === 'Z' || state === 'X' || isKernelThread || startTicks < sinceTicks) return null;
  const environ = read(`/proc/${pid}/environ`);
  const runId = cookieIn(environ);
  const isStarting = environ?.length === 0 && isInExec(pid);
  return { entry: { pid, parent, group, session, startTicks, runId }, isStarting };
}

/**
 * Tells a process in execve from one whose environment is empty: that one has arguments, and its environment stays
 * empty.
 */
function isInExec(pid: number): boolean {
  const isEmpty = (name: string) => read(`/proc/${pid}/${name}`)?.length === 0;
  return isEmpty('cmdline') || !isEmpty('environ');
}

/**
 * The buffer of the last read. It is shared: there are hundreds of small files, and each is processed before the next
 * read.
 */
let shared = Buffer.allocUnsafe(64 * 1024);

function read(path: string): Buffer | null {
  try {
    const fd = openSync(path, 'r');
    try {
      for (let length = 0; ; ) {
        const bytes = readSync(fd, shared, length, shared.length - length, null);
        length += bytes;
        if (bytes === 0) return shared.subarray(0, length);
        if (length === shared.length) shared = Buffer.concat([shared], 2 * shared.length);
      }
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (isExhaustion(errnoOf(error))) throw error;
    return null;
  }
}

function cookieIn(environ: Buffer | null): string | null {
  if (environ === null) return null;
  const key = `${runCookie}=`;
  const start = environ.indexOf(`\0${key}`);
  const from = start >= 0 ? start + 1 : environ.subarray(0, key.length).toString('latin1') === key ? 0 : -1;
  if (from < 0) return null;
  const end = environ.indexOf(0, from);
  return environ.toString('latin1', from + key.length, end < 0 ? environ.length : end);
}

/** For systems without /proc: reads parents and groups, but no environments. */
async function askPs(): Promise<ProcessEntry[] | null> {
  const { ok, stdout } = await runCommand('/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=']);
  return ok ? parsePs(stdout) : null;
}

export function parsePs(output: string): ProcessEntry[] {
  const table: ProcessEntry[] = [];
  for (const line of output.split('\n')) {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith('Z')) continue;
    table.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      startTicks: 0,
      runId: null,
    });
  }
  return table;
}

/** Whether the process that was started at that time is still running. */
export function isSameProcess(pid: number, startTicks: number): boolean {
  if (process.platform !== 'linux') return isAlive(pid);
  try {
    const stat = read(`/proc/${pid}/stat`);
    if (stat === null) return false;
    const found = parseProcessStat(stat.toString('latin1'));
    return found.startTicks === startTicks && found.state !== 'Z' && found.state !== 'X';
  } catch {
    // Without a free file handle this is unknown; the caller can ask again.
    return true;
  }
}

/**
 * Whether the process that was started at that time has exited, even if its exit code has not been collected yet. False
 * where the system does not provide this. If the start is unknown, the process that has the id now is used.
 */
export function hasProcessExited(pid: number, startTicks: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = read(`/proc/${pid}/stat`);
    if (stat === null) return true;
    const found = parseProcessStat(stat.toString('latin1'));
    const isOther = startTicks !== 0 && found.startTicks !== startTicks;
    return isOther || ((found.state === 'Z' || found.state === 'X') && found.threads <= 1);
  } catch {
    return false;
  }
}

/** Whether a process has ended, or was killed and is about to end. False where the system does not provide this. */
export function isEnding(pid: number): boolean {
  if (process.platform !== 'linux') return !isAlive(pid);
  try {
    const stat = read(`/proc/${pid}/stat`);
    return stat === null || parseProcessStat(stat.toString('latin1')).isEnding;
  } catch {
    return false;
  }
}

/** When a process was started, to identify it later; zero where the system does not provide this. */
export function startTicksOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  try {
    const stat = read(`/proc/${pid}/stat`);
    return stat === null ? 0 : parseProcessStat(stat.toString('latin1')).startTicks;
  } catch {
    return 0;
  }
}
