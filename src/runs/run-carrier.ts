import { rm } from 'node:fs/promises';

import { endWithoutProcess, type RunEnd, type RunSpec } from '../execution/messages.ts';
import { readSavedEnd } from '../execution/saved-end.ts';
import { argumentsOf, type Command } from '../scripts/runtimes/command.ts';
import type { Script } from '../scripts/script.ts';
import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import type { Lease } from './gate.ts';
import type { RunFolder } from './parameter-file.ts';
import { concludeRun, isSuccess } from './run-ending.ts';
import type { RunEnding, RunRecord } from './run-record.ts';
import type { RunOutcome, RunServiceOptions } from './run-request.ts';

/** A run on its way, from acceptance to its end. */
export interface LiveRun {
  readonly record: RunRecord;
  readonly folder: RunFolder;
  readonly timeoutMs: number | null;
  readonly language: Language;
  readonly log: Logger;
}

export type RunEvent = { readonly type: 'queued' | 'started' | 'ended'; readonly runId: string };

interface Ran {
  readonly end: RunEnd;
  /** Why the script could not be started, in words for its user. */
  readonly unavailable: Text | null;
  /** What a caller who waits gets instead of an outcome. */
  readonly refusal: unknown;
}

function refused(end: RunEnd, refusal: unknown): Ran {
  return { end, unavailable: refusal instanceof AppError ? refusal.text : null, refusal };
}

/** How long until an end that could not be written down is tried again: a full disk has to be cleared by somebody. */
const retryRecordMs = 1000;

/** Carries accepted runs to their end, and records it. */
export class RunCarrier {
  readonly events = new Feed<RunEvent>();
  readonly #options: RunServiceOptions;

  constructor(options: RunServiceOptions) {
    this.#options = options;
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
      const isStopping = reason instanceof AppError && reason.code === 'service-stopping';
      await this.conclude(run, endWithoutProcess(runId, isStopping ? 'shutdown' : 'cancelled'));
      throw reason;
    }
    try {
      const { end, unavailable, refusal } = await this.#run(run, script, onStart);
      const outcome = await this.conclude(run, end, unavailable);
      if (refusal !== null) throw refusal;
      return outcome;
    } finally {
      lease.release();
    }
  }

  /** Records the end of a run, which may be known twice but counts once. */
  async conclude(run: LiveRun, end: RunEnd, unavailable: Text | null = null): Promise<RunOutcome> {
    // Secrets live in the parameter file alone, and end with the run, whatever the script has put in its place.
    await rm(run.folder.parameterFile, { recursive: true, force: true }).catch((error: unknown) => {
      run.log.error({ err: error }, 'the parameter file could not be removed');
    });
    const { limits, readOutcome } = this.#options;
    const { envelope, result, message, stdout, stderr } = await readOutcome({
      folder: run.folder,
      end,
      timeoutMs: run.timeoutMs,
      unavailable,
      language: run.language,
      limits: { resultBytes: limits.resultBytes, outputAnswerBytes: limits.outputAnswerBytes },
      withOutput: run.record.sync,
    });
    this.#record(run, concludeRun(end, { envelope, result }));
    return {
      exitCode: end.exitCode,
      success: isSuccess(end),
      timedOut: end.cause === 'timeout',
      message,
      stdout,
      stderr,
      result,
    };
  }

  /** What became of the script. Only what kept it from being started is a refusal; once it ran, its end is what counts. */
  async #run(run: LiveRun, script: Script, onStart: () => void): Promise<Ran> {
    const { store, clock, resolveCommand } = this.#options;
    const { sync, runId } = run.record;
    try {
      const resolution = await resolveCommand(script);
      if (resolution.kind === 'unavailable') {
        onStart();
        const end = endWithoutProcess(runId, 'spawn-failed');
        return { end, unavailable: resolution.message, refusal: null };
      }
      store.markStarted(runId, clock.now().toISOString(), { durable: !sync });
      onStart();
      const end = await this.#execute(run, script, resolution.command);
      const errno = end.spawnError ?? undefined;
      if (isExhaustion(errno)) return refused(end, exhaustedError(errno));
      // An executor that died may have left in writing how the run ended before.
      const saved = end.cause === 'lost' ? await readSavedEnd(run.folder.path, runId) : null;
      return { end: saved ?? end, unavailable: null, refusal: null };
    } catch (error) {
      const errno = errnoOf(error);
      const end = endWithoutProcess(runId, 'spawn-failed', errno ?? 'internal');
      return refused(end, isExhaustion(errno) ? exhaustedError(errno, error) : error);
    }
  }

  #execute(run: LiveRun, script: Script, command: Command): Promise<RunEnd> {
    const { limits, environment, executor } = this.#options;
    const { runId } = run.record;
    const spec: RunSpec = {
      runId,
      file: command.file,
      ...argumentsOf(command, run.folder.parameterFile),
      cwd: script.folder,
      // By this variable the processes of a run can be told from all others, wherever they went.
      env: { ...environment, ...command.env, ...script.runtime.env, HOB_RUN_ID: runId },
      runFolder: run.folder.path,
      timeoutMs: run.timeoutMs,
      stopGraceMs: limits.stopGraceMs,
      outputLogBytes: limits.outputLogBytes,
    };
    return executor.run(spec, () => this.events.publish({ type: 'started', runId }));
  }

  /** The executor keeps the end until it is on record here; what cannot be written now is written when there is room. */
  #record(run: LiveRun, ending: RunEnding): void {
    const { store, executor } = this.#options;
    const { runId } = run.record;
    try {
      if (store.finish(runId, ending)) {
        run.log.info(
          { cause: ending.endCause, exitCode: ending.exitCode, ms: ending.durationMs },
          'run ended',
        );
        this.events.publish({ type: 'ended', runId });
      }
      executor.acknowledge(runId);
    } catch (error) {
      if (!store.isOpen) return;
      run.log.error({ err: error }, 'the end of a run could not be recorded yet');
      setTimeout(() => this.#record(run, ending), retryRecordMs).unref();
    }
  }
}
