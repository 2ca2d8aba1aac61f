import { constants } from 'node:os';

import type { EndCause } from '../contract/values.ts';
import {
  endWithoutProcess,
  type RunEnd,
  type StopCause,
  type TerminalSize,
  type TypedPiece,
} from '../execution/messages.ts';
import { errnoOf } from '../shared/errors.ts';
import { longestTimerMs } from '../shared/longest-timer.ts';
import type { Text } from '../shared/text.ts';
import type { Cgroups } from './cgroups.ts';
import type { GivenRun } from './given-run.ts';
import type { NativeProcesses, ProcessExit } from './native/processes.ts';
import { hasProcessExited, startTicksOf } from './process-table.ts';
import { RunProcesses } from './run-processes.ts';
import { type SpawnedScript, spawnScript } from './spawn-script.ts';
import { terminate, terminateTree } from './terminate.ts';
import type { WarmPool } from './warm/warm-pool.ts';
import type { Window } from './window.ts';
import type { Opening, Windows } from './windows.ts';

/** The number of remembered senders: more than the pages that one run has open at once. */
const mostSenders = 64;

/**
 * The terminal of a run that is shown in pages of the console. Typed input may arrive twice if the service is killed
 * before it could answer, and must not be typed twice. This process outlives the service, so it counts the input. Every
 * page that shows a terminal query of a program answers that query, now or when the page is opened later; only the
 * first answer is used.
 */
export class PageTerminal {
  readonly #window: Pick<Window, 'type' | 'resize'>;
  /** The last sequence number of each sender; the most recent sender is last. */
  readonly #typed = new Map<string, number>();
  #answeredBytes = 0;
  #size: TerminalSize;

  constructor(window: Pick<Window, 'type' | 'resize'>, size: TerminalSize) {
    this.#window = window;
    this.#size = size;
  }

  get size(): TerminalSize {
    return this.#size;
  }

  type({ base64, order, answers }: TypedPiece): void {
    if (order !== null && !this.#isNew(order)) return;
    if (answers !== null && answers <= this.#answeredBytes) return;
    this.#answeredBytes = answers ?? this.#answeredBytes;
    this.#window.type(base64);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#size = { columns, rows };
    this.#window.resize(this.#size);
  }

  #isNew({ sender, number }: { sender: string; number: number }): boolean {
    const last = this.#typed.get(sender);
    if (last !== undefined && number <= last) return false;
    this.#typed.delete(sender);
    this.#typed.set(sender, number);
    for (const oldest of this.#typed.keys()) {
      if (this.#typed.size <= mostSenders) break;
      this.#typed.delete(oldest);
    }
    return true;
  }
}

/**
 * Processes that a script leaves behind get less time than the script itself: a caller waits for the end of the run.
 */
const longestSurvivorGraceMs = 500;

/**
 * Most scripts end sooner. For a script that runs longer, the executor reports its start, reads its output as it
 * arrives and creates a cgroup. Each of these takes as long as a small script itself.
 */
const briefMs = 15;

/** The means of this machine to run scripts and to keep their processes together. */
export interface Equipment {
  /** Null where programs can only be started through Node. */
  readonly processes: NativeProcesses | null;
  readonly cgroups: Cgroups | null;
  readonly windows: Pick<Windows, 'open'>;
  /** Null where warm interpreters are not supported. */
  readonly warm: Pick<WarmPool, 'start'> | null;
}

const noWindow: Opening = { window: null, windowless: null };

interface SupervisionEvents {
  started(process: { pid: number; startTicks: number; startedAtMs: number; windowless: Text | null }): void;
  /** The script runs longer than a moment. Not called for a script that ends sooner. */
  lasts(): void;
  timedOut(): void;
}

export interface Supervision {
  /** Stops the run; the first cause wins. */
  stop(cause: StopCause): void;
  readonly end: Promise<RunEnd>;
  /** The processes of the run; null while there are none, and where they cannot be identified. */
  readonly processes: RunProcesses | null;
  readonly pid: number | null;
  readonly isTimedOut: boolean;
  /** The terminal that a page shows; null while there is none. */
  readonly terminal: PageTerminal | null;
  /** Resolves when neither the script nor a process that it left behind holds its streams. */
  readonly released: Promise<unknown>;
}

/** Starts a script and supervises it until its end. Never throws. */
export function supervise(spec: GivenRun, equipment: Equipment, events: SupervisionEvents): Supervision {
  let cause: EndCause | undefined;
  let windowState: 'open' | 'gone' = 'open';
  let pid: number | null = null;
  let processes: RunProcesses | null = null;
  let terminal: PageTerminal | null = null;
  /** Whether the script has exited, even if its exit has not been reported here yet. */
  let isOver = (): boolean => false;
  let stopNow = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stopNow = resolve;
  });
  let release = (_closed: unknown): void => {};
  const released = new Promise<unknown>((resolve) => {
    release = resolve;
  });
  const end = runToEnd();
  return {
    stop: (why) => stopUnlessOver(why, () => {}),
    end,
    released,
    get processes() {
      return processes;
    },
    get pid() {
      return pid;
    },
    get isTimedOut() {
      return cause === 'timeout';
    },
    get terminal() {
      return terminal;
    },
  };

  function stopBecause(why: EndCause): void {
    cause ??= why;
    stopNow();
  }

  /**
   * Stops the script if it still runs. A script that has already exited keeps its own end: after this process was
   * stopped for a while, it may handle a stop request or the time limit before an exit that happened earlier.
   */
  function stopUnlessOver(why: StopCause | 'timeout', onStop: () => void): void {
    // Exits that were reported meanwhile are handled before this. Only on Linux can we detect an exit that is not
    // reported yet.
    setImmediate(() => {
      if (isOver()) return;
      if (cause === undefined) onStop();
      stopBecause(why);
    });
  }

  async function runToEnd(): Promise<RunEnd> {
    const opening = spec.window ? await equipment.windows.open(spec.window, stopped) : noWindow;
    if (opening.window !== null && spec.window?.page) {
      terminal = new PageTerminal(opening.window, spec.window.page);
    }
    const end = await runIn(opening);
    terminal = null;
    opening.window?.end(end);
    return end;
  }

  async function runIn(opening: Opening): Promise<RunEnd> {
    let script: SpawnedScript;
    try {
      // The run may have been stopped while the window was being opened.
      if (spec.window && cause !== undefined) throw new Error('the run was stopped');
      script = await spawnScript(spec, { ...equipment, window: opening.window });
    } catch (error) {
      release(undefined);
      return notStarted(errnoOf(error) ?? String(error));
    }
    release(script.streamsClosed);
    return await watch(script, opening).catch((error: unknown) => {
      process.stderr.write(`${spec.runId}: ${error instanceof Error ? error.stack : String(error)}\n`);
      return endWithoutProcess(spec.runId, 'lost');
    });
  }

  async function watch(script: SpawnedScript, { window, windowless }: Opening): Promise<RunEnd> {
    const startedAtMs = Date.now();
    const startedMonotonic = performance.now();
    let termination: Promise<number | null> | undefined;
    let hasExited = false;
    const timer = armTimeout(spec.timeoutMs, () => stopUnlessOver('timeout', () => events.timedOut()));
    if (script.pid !== undefined) {
      const leader = { pid: script.pid, startTicks: script.startTicks ?? startTicksOf(script.pid) };
      pid = leader.pid;
      isOver = () => hasExited || hasProcessExited(leader.pid, leader.startTicks);
      processes = processesOf(spec.runId, leader);
      events.started({ ...leader, startedAtMs, windowless });
      void stopped.then(() => {
        if (hasExited) return;
        termination = stopAll(spec.stopGraceMs);
        void termination.then(() => window?.expectExit());
      });
    }

    const lasting = setTimeout(
      () => {
        script.attend();
        events.lasts();
        const cgroup = equipment.cgroups?.forRun(spec.runId);
        if (cgroup) processes?.enclose(cgroup);
      },
      window === null ? briefMs : 0,
    );

    void window?.gone.then(() => {
      if (hasExited || cause !== undefined) return;
      windowState = 'gone';
      stopBecause('cancelled');
    });

    const exit = await script.exited;
    hasExited = true;
    timer.cancel();
    clearTimeout(lasting);
    // A stop request from here on comes too late: the end of the script is known.
    const stoppedBy = cause;
    const durationMs = performance.now() - startedMonotonic;
    // A killed window closes its terminal. The script may end because of that, and we may learn of its end first.
    const isCutOff = stoppedBy === undefined && window !== null && !(await window.drain());
    if (isCutOff) {
      windowState = 'gone';
      if (script.pid !== undefined) termination = stopAll(spec.stopGraceMs);
    }
    const endCause = stoppedBy ?? (isCutOff ? 'cancelled' : causeOf(exit));
    // Where only the process tree is known, it cannot be found without its root, whose id may belong to another process
    // now.
    if (termination === undefined && spec.survivors === 'stop' && processes !== null) {
      termination = stopAll(Math.min(spec.stopGraceMs, longestSurvivorGraceMs));
    }
    // The leader may be the first to exit: a stopped run ends when all of its processes have ended.
    const leftRunning = (await termination) ?? null;
    if (leftRunning === 0) processes?.cgroup?.remove();
    const output = await script.settle();
    if (exit.error !== null) return notStarted(exit.error);
    return {
      runId: spec.runId,
      cause: endCause,
      exitCode: exit.signal === null ? (exit.code ?? -1) : 128 + constants.signals[exit.signal],
      signal: exit.signal,
      spawnError: null,
      startedAtMs,
      endedAtMs: Date.now(),
      durationMs,
      ...output,
      leftRunning,
      ...(window !== null && { window: windowState }),
    };
  }

  function notStarted(errno: string): RunEnd {
    return cause === undefined
      ? endWithoutProcess(spec.runId, 'spawn-failed', errno)
      : endWithoutProcess(spec.runId, cause);
  }

  /** Resolves with the number of remaining processes, or null if it is unknown. */
  async function stopAll(graceMs: number): Promise<number | null> {
    if (processes !== null) return terminate(processes, graceMs);
    if (pid !== null) await terminateTree(pid);
    return null;
  }
}

function causeOf({ signal, isUnseen }: ProcessExit): EndCause {
  if (isUnseen) return 'lost';
  return signal === null ? 'exit' : 'signal';
}

/** Null on Windows, where only the process tree shows which processes belong together. */
function processesOf(runId: string, leader: { pid: number; startTicks: number }): RunProcesses | null {
  if (process.platform === 'win32') return null;
  return new RunProcesses(runId, { ...leader, isOurs: true }, null);
}

function armTimeout(timeoutMs: number | null, fire: () => void): { cancel(): void } {
  if (timeoutMs === null) return { cancel: () => {} };
  const deadline = performance.now() + timeoutMs;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = deadline - performance.now();
    timer =
      left <= 0
        ? setTimeout(fire, 0)
        : setTimeout(left > longestTimerMs ? arm : fire, Math.min(left, longestTimerMs));
  };
  arm();
  return { cancel: () => clearTimeout(timer) };
}
