import type { Origin, RunState } from '../contract/values.ts';
import {
  endWithoutProcess,
  type RunEnd,
  type RunSpec,
  runCookie,
  type StreamCapture,
  type WarmSpec,
  type WindowSpec,
} from '../execution/messages.ts';
import type { ParameterFiles } from '../execution/parameter-files.ts';
import type { Command } from '../scripts/runtimes/command.ts';
import { argumentsOf, ownEnvironmentOf, parameterFileVariable } from '../scripts/runtimes/resolve-command.ts';
import type { Script, Terminal } from '../scripts/script.ts';
import { assertNever } from '../shared/assert-never.ts';
import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import { isJsonObject, type Json, type JsonText } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import type { Lease } from './gate.ts';
import { withKeptOutput } from './outcome/lost-output.ts';
import { isSuccess, type OutcomeTexts } from './outcome/read-outcome.ts';
import { executorSilent } from './refusals.ts';
import { nextDelayMs } from './retry-plan.ts';
import { type LiveRuns, type Run, StopRequest, stopCauseOf } from './run.ts';
import { addRunNote } from './run-notes.ts';
import type { BriefRun, KeptOutput, RunEnding, RunRecord } from './run-record.ts';
import type { RunOutcome, RunServiceOptions, RunWindowsOptions, WaitingRun } from './run-request.ts';
import type { RunSeries } from './series.ts';

interface Ran {
  readonly end: RunEnd;
  /** Why the script could not be started, as text for the user. */
  readonly unavailable: Text | null;
  /** The error that a waiting caller gets instead of an outcome. */
  readonly refusal: unknown;
}

function ranTo(end: RunEnd, unavailable: Text | null = null): Ran {
  return { end, unavailable, refusal: null };
}

function refused(end: RunEnd, refusal: unknown): Ran {
  return { end, unavailable: refusal instanceof AppError ? refusal.text : null, refusal };
}

interface Conclusion {
  readonly unavailable?: Text | null;
  /** The script was not started and its caller gets an error: a repeated request with the same key must start a new run. */
  readonly isRefused?: boolean;
}

/** Executes accepted runs and records their ends. */
export class RunCarrier {
  readonly #options: RunServiceOptions;
  readonly #live: LiveRuns;
  readonly #files: ParameterFiles;
  readonly #series: RunSeries;

  constructor(
    options: RunServiceOptions,
    { live, files, series }: { live: LiveRuns; files: ParameterFiles; series: RunSeries },
  ) {
    this.#options = options;
    this.#live = live;
    this.#files = files;
    this.#series = series;
  }

  /**
   * Waits for the slot, starts the script and waits for its end. The run always gets an end. A rejection is a refusal,
   * for the caller who waits.
   */
  async carryOut(run: Run, script: Script, turn: Promise<Lease>, onStart: () => void): Promise<RunOutcome> {
    const { runId } = run.record;
    let lease: Lease;
    try {
      lease = await turn;
    } catch (reason) {
      if (reason instanceof StopRequest) {
        return this.conclude(run, endWithoutProcess(runId, reason.stopCause));
      }
      const isStopping = reason instanceof AppError && reason.code === 'service-stopping';
      const end = endWithoutProcess(runId, isStopping ? 'shutdown' : 'cancelled');
      await this.conclude(run, end, { isRefused: true });
      throw reason;
    }
    try {
      const { end, unavailable, refusal } = await this.#run(run, script, onStart);
      await this.#ensureRecorded(run, refusal);
      const outcome = await this.conclude(run, end, { unavailable, isRefused: refusal !== null });
      if (refusal !== null) throw refusal;
      return outcome;
    } finally {
      lease.release();
    }
  }

  /** Records a run that ended before it was given to an executor. If that fails, all traces of the run are removed. */
  async #ensureRecorded(run: Run, refusal: unknown): Promise<void> {
    try {
      this.#options.ledger.queue(run);
    } catch (error) {
      this.#live.remove(run.record.runId);
      await this.#files.discard(run.record.runId);
      const errno = errnoOf(error);
      throw refusal ?? (isExhaustion(errno) ? exhaustedError(errno, error) : error);
    }
  }

  /** Records the end of a run. It may be called twice for a run; only the first end counts. */
  async conclude(
    run: Run,
    seen: RunEnd,
    { unavailable = null, isRefused = false }: Conclusion = {},
  ): Promise<RunOutcome> {
    const end = seen.cause === 'lost' ? await withKeptOutput(seen, run.folder) : seen;
    if (!this.#files.isGone(run.folder)) await this.#files.remove(end.runId);
    const { limits, readOutcome, ledger, executor } = this.#options;
    const texts = await readOutcome({
      folder: run.folder,
      end,
      timeoutMs: run.timeoutMs,
      unavailable,
      language: run.language,
      limits: { resultBytes: limits.resultBytes, outputAnswerBytes: limits.outputAnswerBytes },
      withOutput: run.record.sync,
    });
    // No run waits any longer for the children of a stopped run.
    if (end.cause === 'timeout' || end.cause === 'cancelled' || end.cause === 'shutdown') {
      this.#live.stopChildren(end.runId, end.cause === 'shutdown' ? 'shutdown' : 'cancelled');
    }
    const recorded = new Promise<void>((resolve) => {
      ledger.end(run, {
        ending: concludeRun(end, texts),
        isRefused,
        nextAttemptAt: () => nextAttemptAt(run, end, { isRefused }),
        onRecorded: (ended) => {
          executor.acknowledge(end.runId);
          // Not earlier: until the end is on record, the run can be cancelled, and the next service recovers it.
          this.#live.remove(end.runId);
          if (ended !== null) this.#noteEnd(run, ended);
          resolve();
        },
      });
    });
    // Whether the caller of a series has to wait for another attempt is decided when the end is recorded.
    if (run.record.retries !== null) await recorded;
    return outcomeOf(end, texts);
  }

  #noteEnd({ record, language }: Run, ended: BriefRun): void {
    this.#series.noteEnd(ended, language);
    if (record.retries?.hasSecrets && ended.nextAttemptAt === null)
      void this.#files.removeSecrets(ended.runId);
  }

  /**
   * Runs the script and returns how it ended. Only a reason that prevented the start is a refusal. After the start, the
   * end of the process counts.
   */
  async #run(run: Run, script: Script, onStart: () => void): Promise<Ran> {
    const { resolveCommand } = this.#options;
    const { runId } = run.record;
    try {
      const resolution = await resolveCommand(script, this.#waiting(run, onStart));
      if (resolution.kind === 'unavailable') {
        onStart();
        return ranTo(endWithoutProcess(runId, 'spawn-failed'), resolution.message);
      }
      const end = await this.#execute(run, script, resolution.command, onStart);
      const errno = end.spawnError;
      return errno !== null && isExhaustion(errno) ? refused(end, exhaustedError(errno)) : ranTo(end);
    } catch (error) {
      if (error instanceof StopRequest) return ranTo(endWithoutProcess(runId, error.stopCause));
      const errno = errnoOf(error);
      const end = endWithoutProcess(runId, 'spawn-failed', errno ?? 'internal');
      return refused(end, isExhaustion(errno) ? exhaustedError(errno, error) : error);
    }
  }

  /** Passed to the code that prepares the environment of an admitted run. */
  #waiting(run: Run, onStart: () => void): WaitingRun {
    return {
      runId: run.record.runId,
      signal: run.stopping.signal,
      onWait: (note) => {
        this.#options.ledger.queue(run);
        // From now on the run has an outcome.
        onStart();
        this.#note(run, note);
      },
    };
  }

  async #execute(run: Run, script: Script, command: Command, onStart: () => void): Promise<RunEnd> {
    const { limits, environment, executor, ledger, clock, windows } = this.#options;
    const { runId } = run.record;
    const { signal } = run.stopping;
    const { window, windowless } = await chooseWindow(run.record, script, windows);
    if (windowless !== null) this.#noteWindowless(run, windowless);
    const spec: RunSpec = {
      runId,
      file: command.file,
      ...argumentsOf(command, run.folder.parameterFile),
      cwd: script.folder,
      env: {
        ...ownEnvironmentOf(command, environment, script.runtime.env),
        ...parameterFileVariable(command, run.folder.parameterFile),
        [runCookie]: runId,
      },
      runFolder: run.folder.path,
      timeoutMs: run.timeoutMs,
      stopGraceMs: limits.stopGraceMs,
      outputLogBytes: limits.outputLogBytes,
      survivors: script.runtime.survivors,
      window,
      warm: chooseWarm(command, script, window),
    };
    if (run.record.sync && executor.silentPid !== null) throw executorSilent(executor.silentPid);
    const stop = () => executor.stop(runId, stopCauseOf(signal));
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await executor.run(spec, {
        given: (name) => {
          signal.throwIfAborted();
          ledger.start(run, { startedAt: clock.now().toISOString(), executor: name });
          onStart();
        },
        started: (why) => {
          if (why !== null && window?.page !== undefined) this.#notePageless(run, why);
          else if (why !== null) this.#noteWindowless(run, why);
          ledger.started(run);
        },
        timedOut: () => this.#live.stopChildren(runId, 'cancelled'),
      });
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** The run is fine, but a user who expects a window needs to know why there is none. */
  #noteWindowless(run: Run, why: Text): void {
    run.log.info({ why: why.en }, 'no window; the output is only captured');
    this.#note(run, { en: `No window was opened: ${why.en}`, zh: `未打开窗口：${why.zh}` });
  }

  #notePageless(run: Run, why: Text): void {
    run.log.info({ why: why.en }, 'no terminal for the console; the output is only captured');
    this.#note(run, {
      en: `The console shows no terminal: ${why.en}`,
      zh: `页面中没有终端：${why.zh}`,
    });
  }

  #note({ folder, language, log }: Run, note: Text): void {
    addRunNote(folder, this.#options.clock.now(), note[language]).catch((error: unknown) => {
      log.warn({ err: error }, 'cannot store a note about a run');
    });
  }
}

/** Returns how to start a run in a warm interpreter; null if the run needs an interpreter of its own. */
export function chooseWarm(
  { warm }: Command,
  { runtime }: Pick<Script, 'runtime'>,
  window: WindowSpec | null,
): WarmSpec | null {
  // A run in a window must start there, as a child process of the terminal.
  if (warm === undefined || window !== null || !runtime.mayStartWarm) return null;
  return { ...warm, preload: runtime.preload };
}

/**
 * Returns the window of a run, or the terminal that a page shows instead; null if it needs none; or the reason why no
 * window can open.
 */
export async function chooseWindow(
  record: Pick<RunRecord, 'sync' | 'origin' | 'data'>,
  { name, runtime }: Pick<Script, 'name' | 'runtime'>,
  { findTerminals, environment, language, hold, pageSize }: RunWindowsOptions,
): Promise<{ window: WindowSpec | null; windowless: Text | null }> {
  const place = placeOf(runtime.terminal, record);
  if (place === 'nowhere') return { window: null, windowless: null };
  if (place === 'page') {
    const page = {
      commands: [],
      env: environment,
      title: name,
      language,
      hold: 'never',
      page: pageSize(),
    } as const;
    return { window: page, windowless: null };
  }
  const search = await findTerminals();
  if (search.kind === 'none') return { window: null, windowless: search.message };
  const { commands } = search;
  return { window: { commands, env: environment, title: name, language, hold }, windowless: null };
}

/**
 * Synchronous callers read the answer, the command line shows a run in its own terminal, the console shows it in its page,
 * and the user may be away when an agent, a schedule, a folder or a webhook starts one.
 */
export function placeOf(
  terminal: Terminal,
  { sync, origin, data }: Pick<RunRecord, 'sync' | 'origin' | 'data'>,
): 'nowhere' | 'page' | 'window' {
  if (sync || origin === 'cli' || origin === 'mcp' || isUnattended(origin)) return 'nowhere';
  if (!wantsTerminal(terminal, data)) return 'nowhere';
  return origin === 'console' ? 'page' : 'window';
}

/** Whether a trigger starts such runs without an action of the user. */
export function isUnattended(origin: Origin): boolean {
  return origin === 'schedule' || origin === 'folder' || origin === 'webhook';
}

function wantsTerminal(terminal: Terminal, data: Json): boolean {
  switch (terminal) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'auto':
      return !hasData(data);
    case 'inverse':
      return hasData(data);
    default:
      return assertNever(terminal);
  }
}

/** Whether the run received any data. An input without values does not count. */
function hasData(data: Json): boolean {
  if (Array.isArray(data)) return data.length > 0;
  if (isJsonObject(data)) return Object.values(data).some((value) => hasData(value));
  return data !== null && data !== '';
}

/** When a run that has ended is tried again; null if its series is over. */
function nextAttemptAt(
  { record, stopping }: Run,
  end: RunEnd,
  { isRefused }: { isRefused: boolean },
): string | null {
  const { retries, attempt, sync } = record;
  // A user ended the series while the run was ending; or its caller gets the refusal as its answer.
  if (stopping.signal.aborted || (isRefused && sync && attempt === 1)) return null;
  const delayMs = nextDelayMs(retries, attempt, {
    cause: end.cause,
    isSuccess: isSuccess(end),
    couldNotStart: isRefused && attempt > 1 && end.cause === 'spawn-failed',
  });
  return delayMs === null ? null : new Date(end.endedAtMs + delayMs).toISOString();
}

/** Builds the end of a run from the end of its process and the outcome of the script. */
function concludeRun(
  end: RunEnd,
  { envelope, result, summary }: Pick<OutcomeTexts, 'envelope' | 'result' | 'summary'>,
): Omit<RunEnding, 'nextAttemptAt'> & { result: JsonText } {
  return {
    state: stateOf(end),
    endCause: end.cause,
    exitCode: end.cause === 'lost' ? null : end.exitCode,
    result,
    code: summary.code,
    message: summary.message,
    envelope,
    startedAt: end.startedAtMs === null ? null : new Date(end.startedAtMs).toISOString(),
    endedAt: new Date(end.endedAtMs).toISOString(),
    // No executor observed the end: the run may have ended at any time between its start and now.
    durationMs: end.cause === 'lost' && end.startedAtMs === null ? null : Math.round(end.durationMs),
    stdoutBytes: end.stdout.bytes,
    stderrBytes: end.stderr.bytes,
    stdoutKept: keptOf(end.stdout),
    stderrKept: keptOf(end.stderr),
    truncated: [end.stdout, end.stderr].some((stream) => stream.headBytes + stream.tailBytes < stream.bytes),
    leftRunning: end.leftRunning,
  };
}

/** Builds the outcome for a caller that waits. */
export function outcomeOf(
  end: RunEnd,
  texts: Pick<OutcomeTexts, 'message' | 'stdout' | 'stderr' | 'result'>,
) {
  const { message, stdout, stderr, result } = texts;
  return {
    runId: end.runId,
    exitCode: end.exitCode,
    success: isSuccess(end),
    timedOut: end.cause === 'timeout',
    message,
    stdout,
    stderr,
    result,
    shortOutput: { stdout: end.stdout.text, stderr: end.stderr.text },
  };
}

function keptOf({ headBytes, tailBytes }: StreamCapture): KeptOutput {
  return { headBytes, tailBytes };
}

function stateOf(end: RunEnd): RunState {
  if (end.cause === 'lost') return 'unknown';
  return isSuccess(end) ? 'succeeded' : 'failed';
}
