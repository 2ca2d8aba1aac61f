import { endWithoutProcess, type RunEnd, type RunSpec, runCookie } from '../execution/messages.ts';
import {
  argumentsOf,
  type Command,
  ownEnvironmentOf,
  parameterFileVariable,
} from '../scripts/runtimes/command.ts';
import type { Script } from '../scripts/script.ts';
import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import { chooseWarm } from './choose-warm.ts';
import { EndRecorder } from './end-recorder.ts';
import type { Lease } from './gate.ts';
import { type LiveRuns, StopRequest, stopCauseOf } from './live-runs.ts';
import { withKeptOutput } from './outcome/lost-output.ts';
import { concludeRun, outcomeOf } from './outcome/run-ending.ts';
import type { ParameterFiles } from './parameter-files.ts';
import { executorSilent } from './refusals.ts';
import type { RunEntry } from './run-entry.ts';
import { type RunFolder, runFolderAt } from './run-folder.ts';
import { addRunNote } from './run-notes.ts';
import type { RunRecord } from './run-record.ts';
import type { RunOutcome, RunServiceOptions, WaitingRun } from './run-request.ts';
import { chooseWindow } from './run-windows.ts';

/** A run on its way, from acceptance to its end. */
export interface LiveRun {
  readonly record: RunRecord;
  /** Where its script lies; null for one that an earlier service started. */
  readonly scriptFolder: string | null;
  readonly folder: RunFolder;
  readonly timeoutMs: number | null;
  readonly language: Language;
  /** Whether what becomes of it must survive a power cut: nobody waits for it, or its caller can come back. */
  readonly isDurable: boolean;
  readonly entry: Pick<RunEntry, 'make'>;
  readonly log: Logger;
  /** Aborted when the run is not to go on. */
  readonly stopping: AbortController;
}

export function describeRun(
  { runsFolder, limits, log }: Pick<RunServiceOptions, 'runsFolder' | 'limits' | 'log'>,
  record: RunRecord,
  script: Script | null,
  {
    language,
    hasKey,
    scriptFolder,
    entry,
  }: { language: Language; hasKey: boolean; scriptFolder: string | null; entry: LiveRun['entry'] },
): LiveRun {
  return {
    record,
    scriptFolder,
    folder: runFolderAt(runsFolder, record.runId),
    timeoutMs: (script?.runtime.timeoutMs ?? limits.timeoutMs) || null,
    language,
    isDurable: hasKey || !record.sync,
    entry,
    log: log.child({ run: record.runId, script: record.scriptName }),
    stopping: new AbortController(),
  };
}

interface Ran {
  readonly end: RunEnd;
  /** Why the script could not be started, in words for its user. */
  readonly unavailable: Text | null;
  /** What a caller who waits gets instead of an outcome. */
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
  /** It was not started, and its caller is told so: whoever asks again is not to be given this run. */
  readonly isRefused?: boolean;
}

/** Carries accepted runs to their end, and records it. */
export class RunCarrier {
  readonly #options: RunServiceOptions;
  readonly #live: LiveRuns;
  readonly #files: ParameterFiles;
  readonly #ends: EndRecorder;

  constructor(options: RunServiceOptions, live: LiveRuns, files: ParameterFiles) {
    this.#options = options;
    this.#live = live;
    this.#files = files;
    this.#ends = new EndRecorder(options, live);
  }

  /** All ends that are known are on record when this returns, unless there is no room for them. */
  settle(): void {
    this.#ends.settle();
  }

  /**
   * Starts the script once it is its turn and waits for its end. Whatever happens, the run gets an end; a rejection is a
   * refusal, for the caller who waits.
   */
  async carryOut(
    run: LiveRun,
    script: Script,
    turn: Promise<Lease>,
    onStart: () => void,
  ): Promise<RunOutcome> {
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
      await this.#enter(run, refusal);
      const outcome = await this.conclude(run, end, { unavailable, isRefused: refusal !== null });
      if (refusal !== null) throw refusal;
      return outcome;
    } finally {
      lease.release();
    }
  }

  /** Puts a run on record that did not get as far as that, or leaves nothing of it behind. */
  async #enter(run: LiveRun, refusal: unknown): Promise<void> {
    try {
      run.entry.make();
    } catch (error) {
      this.#live.remove(run.record.runId);
      await this.#files.discard(run.record.runId);
      const errno = errnoOf(error);
      throw refusal ?? (isExhaustion(errno) ? exhaustedError(errno, error) : error);
    }
  }

  /** Records the end of a run, which may be known twice but counts once. */
  async conclude(
    run: LiveRun,
    seen: RunEnd,
    { unavailable = null, isRefused = false }: Conclusion = {},
  ): Promise<RunOutcome> {
    const end = seen.cause === 'lost' ? await withKeptOutput(seen, run.folder) : seen;
    await this.#files.remove(end.runId);
    const { limits, readOutcome } = this.#options;
    const texts = await readOutcome({
      folder: run.folder,
      end,
      timeoutMs: run.timeoutMs,
      unavailable,
      language: run.language,
      limits: { resultBytes: limits.resultBytes, outputAnswerBytes: limits.outputAnswerBytes },
      withOutput: run.record.sync,
    });
    // The children of a run that was stopped have nobody left who waits for them.
    if (end.cause === 'timeout' || end.cause === 'cancelled' || end.cause === 'shutdown') {
      this.#live.stopChildren(end.runId, end.cause === 'shutdown' ? 'shutdown' : 'cancelled');
    }
    const known = { run, ending: concludeRun(end, texts), isRefused };
    // A caller who waits gets its answer first, if the executor has the end for the case that we do not get to write it down.
    if (!run.isDurable && !isRefused && end.startedAtMs !== null) this.#ends.recordSoon(known);
    else this.#ends.record(known);
    return outcomeOf(end, texts);
  }

  /** What became of the script. Only what kept it from being started is a refusal; once it ran, its end is what counts. */
  async #run(run: LiveRun, script: Script, onStart: () => void): Promise<Ran> {
    const { resolveCommand } = this.#options;
    const { runId } = run.record;
    try {
      const resolution = await resolveCommand(script, this.#waiting(run, onStart));
      if (resolution.kind === 'unavailable') {
        onStart();
        return ranTo(endWithoutProcess(runId, 'spawn-failed'), resolution.message);
      }
      const end = await this.#execute(run, script, resolution.command, onStart);
      const errno = end.spawnError ?? undefined;
      return isExhaustion(errno) ? refused(end, exhaustedError(errno)) : ranTo(end);
    } catch (error) {
      if (error instanceof StopRequest) return ranTo(endWithoutProcess(runId, error.stopCause));
      const errno = errnoOf(error);
      const end = endWithoutProcess(runId, 'spawn-failed', errno ?? 'internal');
      return refused(end, isExhaustion(errno) ? exhaustedError(errno, error) : error);
    }
  }

  /** How a run that has its turn waits for what it needs. */
  #waiting(run: LiveRun, onStart: () => void): WaitingRun {
    return {
      runId: run.record.runId,
      signal: run.stopping.signal,
      onWait: (note) => {
        run.entry.make();
        // From now on it has an outcome, whatever that is.
        onStart();
        this.#note(run, note);
      },
    };
  }

  async #execute(run: LiveRun, script: Script, command: Command, onStart: () => void): Promise<RunEnd> {
    const { limits, environment, executor, store, events, clock, windows } = this.#options;
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
          // On record before it is on its way, and with whom: whoever finds it there knows whom to ask what became of it.
          const start = { startedAt: clock.now().toISOString(), executor: name };
          if (!run.entry.make(start)) store.markStarted(runId, start, { durable: run.isDurable });
          onStart();
          setImmediate(() => this.#ends.settleFew());
        },
        started: (why) => {
          if (why !== null && window?.page !== undefined) this.#notePageless(run, why);
          else if (why !== null) this.#noteWindowless(run, why);
          events.startSoon(runId);
        },
        timedOut: () => this.#live.stopChildren(runId, 'cancelled'),
      });
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Nothing is wrong with the run, but whoever expected a window wants to know. */
  #noteWindowless(run: LiveRun, why: Text): void {
    run.log.info({ why: why.en }, 'no window; the output is only captured');
    this.#note(run, { en: `No window was opened: ${why.en}`, zh: `未打开窗口：${why.zh}` });
  }

  #notePageless(run: LiveRun, why: Text): void {
    run.log.info({ why: why.en }, 'no terminal for the console; the output is only captured');
    this.#note(run, {
      en: `The console shows no terminal: ${why.en}`,
      zh: `页面中没有终端：${why.zh}`,
    });
  }

  #note({ folder, language, log }: LiveRun, note: Text): void {
    addRunNote(folder, this.#options.clock.now(), note[language]).catch((error: unknown) => {
      log.warn({ err: error }, 'cannot store a note about a run');
    });
  }
}
