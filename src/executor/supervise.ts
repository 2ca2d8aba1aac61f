import { constants } from 'node:os';
import { join } from 'node:path';

import type { EndCause } from '../contract/values.ts';
import { endWithoutProcess, type RunEnd, type StopCause, type StreamCapture } from '../execution/messages.ts';
import { errnoOf } from '../shared/errors.ts';
import { longestTimerMs } from '../shared/longest-timer.ts';
import type { Text } from '../shared/text.ts';
import { Capture, type PipeReader, readOutput, readStream } from './capture.ts';
import type { Cgroups } from './cgroups.ts';
import { environmentOf, type GivenRun } from './given-run.ts';
import type { NativeProcesses, Outputs, ProcessExit, StartedProcess } from './native/processes.ts';
import { hasProcessExited, RunProcesses, startTicksOf } from './run-processes.ts';
import { startThroughNode } from './start-through-node.ts';
import { terminate, terminateTree } from './terminate.ts';
import type { WarmPool } from './warm/warm-pool.ts';
import { commandOnTerminal, PageTerminal, type Window } from './window.ts';
import type { Opening, Windows } from './windows.ts';

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
    const leftRunning = termination === undefined ? countAtExit(window) : await termination;
    if (termination !== undefined && leftRunning === 0) processes?.cgroup?.remove();
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

  /**
   * Zero if the script cannot have left a process behind: the kernel makes an orphan a child of this process before it
   * reports the exit of the script. Null if the processes must be counted. A window without a terminal starts the
   * script itself, and its orphans may become children of another process.
   */
  function countAtExit(window: Window | null): 0 | null {
    if (processes === null || (window !== null && window.terminal === null)) return null;
    if (equipment.processes?.hasOrphans() !== false) return null;
    // The count removes a cgroup that the kernel does not let go yet.
    return processes.cgroup?.remove() === false ? null : 0;
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

/** The process of a script, whose output is being read. */
interface SpawnedScript {
  readonly pid: number | undefined;
  /** Its start time in ticks of the system clock; undefined if it was not read. */
  readonly startTicks: number | undefined;
  /** How the process ended, or why it was not started. */
  readonly exited: Promise<ProcessExit>;
  /** From now on, output is read when it arrives, and not only at the end. Called for a script that runs longer. */
  attend(): void;
  /** Writes all output so far to the log files. Called once, when the process has ended. */
  settle(): Promise<{ stdout: StreamCapture; stderr: StreamCapture }>;
  /** Resolves when no process holds its streams any more. */
  readonly streamsClosed: Promise<unknown>;
}

/** The means to start a script. */
interface SpawnContext {
  /** Null where programs can only be started through Node. */
  readonly processes: NativeProcesses | null;
  readonly window: Window | null;
  readonly warm: Pick<WarmPool, 'start'> | null;
}

/** The only place where scripts are started. */
async function spawnScript(spec: GivenRun, context: SpawnContext): Promise<SpawnedScript> {
  const stdout = new Capture(join(spec.runFolder, 'stdout.log'), spec.outputLogBytes);
  const stderr = new Capture(join(spec.runFolder, 'stderr.log'), spec.outputLogBytes);
  try {
    return await spawnCaptured(spec, context, { stdout, stderr });
  } catch (error) {
    await Promise.all([stdout.settle(), stderr.settle()]);
    throw error;
  }
}

interface Captures {
  readonly stdout: Capture;
  readonly stderr: Capture;
}

async function spawnCaptured(
  spec: GivenRun,
  context: SpawnContext,
  captures: Captures,
): Promise<SpawnedScript> {
  const { pid, startTicks, exited, readers } = await spawnIn(context, spec, captures);
  const { stdout, stderr } = captures;
  return {
    pid,
    startTicks,
    exited,
    attend() {
      // Readers of the output find the log files.
      stdout.prepare();
      stderr.prepare();
      for (const reader of readers) reader.attend?.();
    },
    async settle() {
      for (const reader of readers) await reader.drain();
      // Both at the same time: from here on, neither accepts the output of a process that outlives the run.
      const [out, err] = await Promise.all([stdout.settle(), stderr.settle()]);
      return { stdout: out, stderr: err };
    },
    streamsClosed: Promise.all(readers.map((reader) => reader.closed)),
  };
}

async function spawnIn(
  { processes, window, warm }: SpawnContext,
  spec: GivenRun,
  captures: Captures,
): Promise<Started> {
  if (window !== null) return spawnInWindow(spec, { window, processes }, captures);
  if (processes === null) return spawnThroughNode(spec, captures);
  const interpreter = spec.warm ? await warm?.start(spec) : null;
  return readFrom(interpreter ?? startAlone(spec, processes), captures);
}

/** Opens the files of its output before a script starts, so that it does not start if there is no space for them. */
function openBoth({ stdout, stderr }: Captures): void {
  stdout.open();
  stderr.open();
}

function startAlone(spec: GivenRun, processes: NativeProcesses): StartedProcess & Outputs {
  return processes.startWithOutputs(spec);
}

function readFrom(
  { pid, startTicks, exited, stdout, stderr }: (StartedProcess & Outputs) & { startTicks?: number },
  captures: Captures,
): Started {
  // The script runs meanwhile. Most scripts write nothing to stderr, and need no file for it.
  captures.stdout.prepare();
  const readers = [readOutput(stdout, captures.stdout), readOutput(stderr, captures.stderr)];
  return { pid, startTicks, exited, readers };
}

interface Started {
  pid: number | undefined;
  startTicks?: number | undefined;
  exited: Promise<ProcessExit>;
  readers: PipeReader[];
}

async function spawnInWindow(
  spec: GivenRun,
  { window, processes }: { window: Window; processes: NativeProcesses | null },
  captures: Captures,
): Promise<Started> {
  openBoth(captures);
  const readers = [window.read(captures)];
  if (window.terminal === null) {
    const { pid, exited } = await window.start(spec);
    return { pid, exited, readers };
  }
  const { file, args, cwd } = spec;
  const env = { ...environmentOf(spec), ...window.env };
  const program = { ...commandOnTerminal({ file, args, env }, window.terminal), cwd };
  if (processes !== null) return { ...processes.start(program, [null, null, null]), readers };
  const { child, exited } = startThroughNode(program, 'ignore');
  return { pid: child.pid, exited, readers };
}

function spawnThroughNode(spec: GivenRun, captures: Captures): Started {
  openBoth(captures);
  const { child, exited } = startThroughNode({ ...spec, env: environmentOf(spec) }, 'pipe');
  const readers: PipeReader[] = [];
  if (child.stdout !== null) readers.push(readStream(child.stdout, captures.stdout));
  if (child.stderr !== null) readers.push(readStream(child.stderr, captures.stderr));
  return { pid: child.pid, exited, readers };
}
