import { constants } from 'node:os';

import {
  type EndCause,
  endWithoutProcess,
  type RunEnd,
  type RunSpec,
  type StopCause,
} from '../execution/messages.ts';
import { errnoOf } from '../shared/errors.ts';
import type { FifoPool } from './fifo-pool.ts';
import { type SpawnedScript, spawnScript } from './spawn-script.ts';
import { terminateGroup } from './terminate.ts';

/** The longest delay a timer takes; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export interface Supervision {
  /** Ends the run; the first cause given is the one that counts. */
  stop(cause: StopCause): void;
  readonly end: Promise<RunEnd>;
  /** Resolves when neither the script nor anything it left behind holds its streams. */
  readonly released: Promise<unknown>;
}

/** Starts a script and sees it to its end, whatever that is. Never throws. */
export function supervise(
  spec: RunSpec,
  fifos: FifoPool | null,
  onStarted: (pid: number, startedAtMs: number) => void,
): Supervision {
  let cause: EndCause | undefined;
  let stopNow = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stopNow = resolve;
  });
  let release = (_closed: unknown): void => {};
  const released = new Promise<unknown>((resolve) => {
    release = resolve;
  });
  const end = see();
  return { stop: (why) => stopBecause(why), end, released };

  function stopBecause(why: EndCause): void {
    cause ??= why;
    stopNow();
  }

  async function see(): Promise<RunEnd> {
    let script: SpawnedScript;
    try {
      script = await spawnScript(spec, fifos);
    } catch (error) {
      release(undefined);
      return endWithoutProcess(spec.runId, 'spawn-failed', errnoOf(error) ?? String(error));
    }
    release(script.streamsClosed);
    return await watch(script).catch((error: unknown) => {
      process.stderr.write(`${spec.runId}: ${error instanceof Error ? error.stack : String(error)}\n`);
      return endWithoutProcess(spec.runId, 'lost');
    });
  }

  async function watch(script: SpawnedScript): Promise<RunEnd> {
    const { pid } = script;
    const startedAtMs = Date.now();
    const startedMonotonic = performance.now();
    let termination: Promise<void> | undefined;
    const timer = armTimeout(spec.timeoutMs, () => stopBecause('timeout'));
    if (pid !== undefined) {
      onStarted(pid, startedAtMs);
      void stopped.then(() => {
        termination = terminateGroup(pid, spec.stopGraceMs);
      });
    }

    const exit = await script.exited;
    timer.cancel();
    // The leader may be the first of its group to go: a run that was stopped ends when the whole group has.
    await termination;
    const output = await script.settle();
    if (exit.error !== null) return endWithoutProcess(spec.runId, 'spawn-failed', exit.error);
    const durationMs = performance.now() - startedMonotonic;
    return {
      runId: spec.runId,
      cause: cause ?? (exit.signal === null ? 'exit' : 'signal'),
      exitCode: exit.signal === null ? (exit.code ?? -1) : 128 + constants.signals[exit.signal],
      signal: exit.signal,
      spawnError: null,
      startedAtMs,
      endedAtMs: Date.now(),
      durationMs,
      ...output,
    };
  }
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
