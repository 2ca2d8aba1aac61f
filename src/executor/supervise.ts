import { constants } from 'node:os';

import { type EndCause, endWithoutProcess, type RunEnd, type StopCause } from '../execution/messages.ts';
import { errnoOf } from '../shared/errors.ts';
import { longestTimerMs } from '../shared/longest-timer.ts';
import type { Text } from '../shared/text.ts';
import type { Cgroups } from './cgroups.ts';
import type { FifoPool } from './fifo-pool.ts';
import type { GivenRun } from './given-run.ts';
import { PageTerminal } from './page-terminal.ts';
import type { ProcessExit } from './process-exit.ts';
import { hasProcessExited, startTicksOf } from './process-table.ts';
import { RunProcesses } from './run-processes.ts';
import { type SpawnedScript, spawnScript } from './spawn-script.ts';
import { terminate, terminateTree } from './terminate.ts';
import type { WarmPool } from './warm/warm-pool.ts';
import type { Opening, Windows } from './windows.ts';

/** What a script leaves behind on its way out gets less time than the script itself: somebody waits for the answer. */
const longestSurvivorGraceMs = 500;

/**
 * Most scripts are done sooner. For one that lasts longer its start is told, its output is read as it comes, and it gets a cgroup; each
 * of these takes as long as a small script itself.
 */
const briefMs = 15;

/** What this machine gives us to keep the processes of a run together. */
export interface Equipment {
  /** Null on Windows. */
  readonly fifos: FifoPool | null;
  readonly cgroups: Cgroups | null;
  readonly windows: Pick<Windows, 'open'>;
  /** Null where none can wait. */
  readonly warm: Pick<WarmPool, 'start' | 'launch'> | null;
}

const unseen: Opening = { window: null, windowless: null };

interface SupervisionEvents {
  started(process: { pid: number; startTicks: number; startedAtMs: number; windowless: Text | null }): void;
  /** It was not over at once. Not called for one that was. */
  lasts(): void;
  timedOut(): void;
}

export interface Supervision {
  /** Ends the run; the first cause given is the one that counts. */
  stop(cause: StopCause): void;
  readonly end: Promise<RunEnd>;
  /** Its processes; null while there are none, and where they cannot be told from others. */
  readonly processes: RunProcesses | null;
  readonly pid: number | null;
  readonly isTimedOut: boolean;
  /** The terminal that a page shows; null while there is none. */
  readonly terminal: PageTerminal | null;
  /** Resolves when neither the script nor anything it left behind holds its streams. */
  readonly released: Promise<unknown>;
}

/** Starts a script and sees it to its end, whatever that is. Never throws. */
export function supervise(spec: GivenRun, equipment: Equipment, events: SupervisionEvents): Supervision {
  let cause: EndCause | undefined;
  let windowState: 'open' | 'gone' = 'open';
  let pid: number | null = null;
  let processes: RunProcesses | null = null;
  let terminal: PageTerminal | null = null;
  /** Whether the script has exited, also if its exit has not been reported here yet. */
  let isOver = (): boolean => false;
  let stopNow = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stopNow = resolve;
  });
  let release = (_closed: unknown): void => {};
  const released = new Promise<unknown>((resolve) => {
    release = resolve;
  });
  const end = see();
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
   * Stops the script if it still runs. One that has exited before keeps its own end: when this process was stopped for a while, a request
   * to stop the run, or its time limit, is handled before an exit that happened earlier.
   */
  function stopUnlessOver(why: StopCause | 'timeout', onStop: () => void): void {
    // Exits that were reported meanwhile are handled before this. Only Linux says of the others that they have happened.
    setImmediate(() => {
      if (isOver()) return;
      if (cause === undefined) onStop();
      stopBecause(why);
    });
  }

  async function see(): Promise<RunEnd> {
    const opening = spec.window ? await equipment.windows.open(spec.window, stopped) : unseen;
    if (opening.window !== null && spec.window?.page) {
      terminal = new PageTerminal(opening.window, spec.window.page);
    }
    const end = await seeIn(opening);
    terminal = null;
    opening.window?.end(end);
    return end;
  }

  async function seeIn(opening: Opening): Promise<RunEnd> {
    let script: SpawnedScript;
    try {
      // Opening a window takes a while, in which the run may have been stopped.
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
      processes = gather(spec.runId, leader);
      events.started({ ...leader, startedAtMs, windowless });
      void stopped.then(() => {
        if (hasExited) return;
        termination = endAll(spec.stopGraceMs);
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
    // Whatever is asked for from here on comes too late: this is how the script ended.
    const stoppedBy = cause;
    const durationMs = performance.now() - startedMonotonic;
    // A window that is killed takes its terminal along. The script may end of that, and we hear of it first.
    const isCutOff = stoppedBy === undefined && window !== null && !(await window.drain());
    if (isCutOff) {
      windowState = 'gone';
      if (script.pid !== undefined) termination = endAll(spec.stopGraceMs);
    }
    const endCause = stoppedBy ?? (isCutOff ? 'cancelled' : causeOf(exit));
    // Where only the tree is known, it cannot be found any more without its root, whose id may be somebody else's by now.
    if (termination === undefined && spec.survivors === 'stop' && processes !== null) {
      termination = endAll(Math.min(spec.stopGraceMs, longestSurvivorGraceMs));
    }
    // The leader may be the first to go: a run that was stopped ends when all of its processes have.
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

  /** Resolves with how many are left, where that can be told. */
  async function endAll(graceMs: number): Promise<number | null> {
    if (processes !== null) return terminate(processes, graceMs);
    if (pid !== null) await terminateTree(pid);
    return null;
  }
}

function causeOf({ signal, isUnseen }: ProcessExit): EndCause {
  if (isUnseen) return 'lost';
  return signal === null ? 'exit' : 'signal';
}

/** Null on Windows, where nothing but the tree itself tells who belongs together. */
function gather(runId: string, leader: { pid: number; startTicks: number }): RunProcesses | null {
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
