import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';

import type { RunEnd, RunSpec } from '../execution/messages.ts';
import { endWithoutProcess } from '../execution/messages.ts';
import { readSavedEnd } from '../execution/saved-end.ts';
import type { Command } from '../scripts/runtimes/command.ts';
import type { Script } from '../scripts/script.ts';
import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import { type Caller, hashToken, newToken } from './chain.ts';
import { type Claim, Gate, type Lease } from './gate.ts';
import { type RunFolder, runFolderAt, writeParameterFile } from './parameter-file.ts';
import { readOutput } from './read-output.ts';
import { concludeRun, isSuccess } from './run-ending.ts';
import type { RunRecord } from './run-record.ts';
import {
  newRecord,
  type RunOutcome,
  type RunRequest,
  type RunServiceOptions,
  type SubmittedRun,
} from './run-request.ts';

/** A run on its way, from acceptance to its end. */
interface LiveRun {
  readonly record: RunRecord;
  readonly folder: RunFolder;
  readonly timeoutMs: number | null;
  readonly language: Language;
  readonly log: Logger;
}

export type RunEvent = { readonly type: 'queued' | 'started' | 'ended'; readonly runId: string };

/** The life of runs: accepted, let in, started, ended, recorded. */
export class RunService {
  readonly events = new Feed<RunEvent>();
  readonly #options: RunServiceOptions;
  readonly #gate: Gate;
  readonly #syncRuns = new Set<Promise<unknown>>();
  #stopping = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#gate = new Gate(options.limits);
  }

  get running(): number {
    return this.#gate.running;
  }

  get queued(): number {
    return this.#gate.queued;
  }

  find(runId: string): RunRecord | null {
    return this.#options.store.find(runId.toLowerCase());
  }

  /** Accepts a run: when this resolves it is on record. Throws a refusal, with nothing left behind, when it cannot be. */
  async submit(request: RunRequest): Promise<SubmittedRun> {
    if (this.#stopping) throw stopping();
    const runId = randomUUID();
    const token = newToken();
    const record = newRecord(runId, request, this.#options.clock.now());
    const run = this.#describe(record, request.script, request.language);
    const leaving = new AbortController();
    // Its place is taken before anything is awaited, so that runs start in the order in which they came.
    const admission = this.#gate.enter(
      claimOf(runId, request.script, request.sync ? request.caller : null),
      leaving.signal,
    );
    admission.catch(() => {});
    try {
      await this.#prepare(run, request, token);
    } catch (error) {
      leaving.abort(error);
      void admission.then((lease) => lease.release()).catch(() => {});
      await rm(run.folder.path, { recursive: true, force: true });
      const errno = errnoOf(error);
      throw isExhaustion(errno) ? exhaustedError(errno, error) : error;
    }
    this.events.publish({ type: 'queued', runId });
    return this.#launch(run, request.script, admission, leaving);
  }

  /** Takes up what an earlier service left unfinished: nothing runs twice, and every run gets its end. */
  recover(): void {
    const unfinished = this.#options.store.unfinished();
    const isWaiting = (record: RunRecord) => record.state === 'queued' && !record.sync;
    // First those that may still run, so that they have their places before those that wait for one.
    for (const record of unfinished.filter((each) => !isWaiting(each))) {
      const run = this.#describe(record, this.#options.findScript(record.scriptId), 'zh');
      void this.#takeUp(run).catch((error: unknown) => this.#reportDefect(run, error));
    }
    for (const record of unfinished.filter(isWaiting)) {
      const script = this.#options.findScript(record.scriptId);
      const run = this.#describe(record, script, 'zh');
      if (script === null) {
        const end = endWithoutProcess(record.runId, 'spawn-failed');
        void this.#conclude(run, end, scriptGone(record)).catch((error: unknown) =>
          this.#reportDefect(run, error),
        );
        continue;
      }
      const leaving = new AbortController();
      this.#launch(
        run,
        script,
        this.#gate.enter(claimOf(record.runId, script, null), leaving.signal),
        leaving,
      );
    }
  }

  /** Takes no more work, and waits for those whose callers wait, but no longer than the signal allows. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#stopping = true;
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([Promise.allSettled([...this.#syncRuns]), aborted]);
  }

  /** Waits for a run that an earlier service started, if the executor still has it, or has written down how it ended. */
  async #takeUp(run: LiveRun): Promise<void> {
    const { runId, scriptId } = run.record;
    const attached = this.#options.executor.attach(runId);
    const script = this.#options.findScript(scriptId);
    const leaving = new AbortController();
    const place = attached && script ? this.#gate.enter(claimOf(runId, script, null), leaving.signal) : null;
    const end = (await attached) ?? (await readSavedEnd(run.folder.path, runId));
    await this.#conclude(run, end ?? endWithoutProcess(runId, 'lost'));
    leaving.abort();
    await place?.then((lease) => lease.release()).catch(() => {});
  }

  #describe(record: RunRecord, script: Script | null, language: Language): LiveRun {
    return {
      record,
      folder: runFolderAt(this.#options.runsFolder, record.runId),
      timeoutMs: (script?.runtime.timeoutMs ?? this.#options.limits.timeoutMs) || null,
      language,
      log: this.#options.log.child({ run: record.runId, script: record.scriptName }),
    };
  }

  async #prepare(run: LiveRun, request: RunRequest, token: string): Promise<void> {
    // An asynchronous run must survive a power cut once it is accepted; a synchronous one has a caller who would notice.
    const durable = !request.sync;
    const content = {
      apiBase: this.#options.apiBase(token),
      runId: run.record.runId,
      scriptId: request.script.id,
      scriptFolder: request.script.folder,
      invokeMode: request.sync ? ('node' as const) : ('manual' as const),
      data: request.data,
      params: request.params,
    };
    await writeParameterFile(run.folder, content, { durable });
    this.#options.store.insert(run.record, hashToken(token), { durable });
  }

  #launch(run: LiveRun, script: Script, admission: Promise<Lease>, leaving: AbortController): SubmittedRun {
    let markStarted = (): void => {};
    const started = new Promise<void>((resolve) => {
      markStarted = resolve;
    });
    const outcome = this.#carryOut(run, script, admission, leaving, markStarted);
    if (run.record.sync) {
      this.#syncRuns.add(outcome);
      outcome.catch(() => {}).finally(() => this.#syncRuns.delete(outcome));
    } else {
      outcome.catch((error: unknown) => {
        if (!(error instanceof AppError)) this.#reportDefect(run, error);
      });
    }
    return { runId: run.record.runId, started, outcome };
  }

  async #carryOut(
    run: LiveRun,
    script: Script,
    admission: Promise<Lease>,
    leaving: AbortController,
    markStarted: () => void,
  ): Promise<RunOutcome> {
    let lease: Lease;
    try {
      lease = await this.#awaitTurn(run, admission, leaving);
    } catch (reason) {
      await this.#conclude(run, endWithoutProcess(run.record.runId, 'cancelled'));
      throw reason;
    }
    try {
      const { sync, runId } = run.record;
      const resolution = await this.#options.resolveCommand(script);
      if (resolution.kind === 'unavailable') {
        markStarted();
        return await this.#conclude(run, endWithoutProcess(runId, 'spawn-failed'), resolution.message);
      }
      this.#options.store.markStarted(runId, this.#options.clock.now().toISOString(), { durable: !sync });
      markStarted();
      const end = await this.#execute(run, script, resolution.command);
      const outcome = await this.#conclude(run, end);
      if (end.cause === 'spawn-failed' && isExhaustion(end.spawnError ?? undefined))
        throw exhaustedError(end.spawnError ?? '');
      return outcome;
    } finally {
      lease.release();
    }
  }

  async #awaitTurn(run: LiveRun, admission: Promise<Lease>, leaving: AbortController): Promise<Lease> {
    if (!run.record.sync) return await admission;
    const { queueWaitMs } = this.#options.limits;
    const timer = setTimeout(() => leaving.abort(waitedTooLong(queueWaitMs)), queueWaitMs);
    try {
      return await admission;
    } finally {
      clearTimeout(timer);
    }
  }

  async #execute(run: LiveRun, script: Script, command: Command): Promise<RunEnd> {
    const { limits, environment, executor } = this.#options;
    const { runId } = run.record;
    const spec: RunSpec = {
      runId,
      file: command.file,
      args: [...command.args, run.folder.parameterFile],
      cwd: script.folder,
      // By this variable the processes of a run can be told from all others, wherever they went.
      env: { ...environment, ...command.env, ...script.runtime.env, HOB_RUN_ID: runId },
      runFolder: run.folder.path,
      timeoutMs: run.timeoutMs,
      stopGraceMs: limits.stopGraceMs,
      outputLogBytes: limits.outputLogBytes,
    };
    try {
      return await executor.run(spec, () => this.events.publish({ type: 'started', runId }));
    } catch (error) {
      run.log.error({ err: error }, 'the run could not be handed to the executor');
      await this.#conclude(
        run,
        endWithoutProcess(runId, 'spawn-failed'),
        error instanceof AppError ? error.text : null,
      );
      throw error;
    }
  }

  /** Records the end of a run, which may be known twice but counts once. */
  async #conclude(run: LiveRun, end: RunEnd, unavailable: Text | null = null): Promise<RunOutcome> {
    const { limits, store, executor } = this.#options;
    const { runId, sync } = run.record;
    const context = {
      folder: run.folder,
      maxResultBytes: limits.resultBytes,
      unavailable,
      timeoutMs: run.timeoutMs,
      language: run.language,
    };
    const ending = await concludeRun(end, context);
    const [stdout, stderr] = await Promise.all([
      sync ? readOutput(run.folder.stdoutLog, end.stdout, limits.outputAnswerBytes) : '',
      sync ? readOutput(run.folder.stderrLog, end.stderr, limits.outputAnswerBytes) : '',
    ]);
    // Secrets live in the parameter file alone, and end with the run.
    await rm(run.folder.parameterFile, { force: true });
    if (store.finish(runId, ending)) {
      run.log.info({ cause: end.cause, exitCode: end.exitCode, ms: ending.durationMs }, 'run ended');
      this.events.publish({ type: 'ended', runId });
    }
    executor.acknowledge(runId);
    return {
      exitCode: end.exitCode,
      success: isSuccess(end),
      timedOut: end.cause === 'timeout',
      stdout,
      stderr,
      result: ending.result,
    };
  }

  #reportDefect(run: LiveRun, error: unknown): void {
    run.log.error({ err: error }, 'a run could not be carried out as it should');
  }
}

/** Only a run that somebody waits for may borrow what its caller holds: any other may outlive it. */
function claimOf(runId: string, script: Script, waitingCaller: Caller): Claim {
  const { concurrency, lock } = script.runtime;
  return { runId, scriptId: script.id, concurrency, lock, waitingParent: waitingCaller?.runId ?? null };
}

function scriptGone(record: RunRecord): Text {
  return {
    en: `The script "${record.scriptName}" was removed while this run waited for its turn.`,
    zh: `排队期间脚本 "${record.scriptName}" 已被移除。`,
  };
}

function stopping(): AppError {
  return new AppError(
    'service-stopping',
    { en: 'Hob is being stopped and takes no new work.', zh: 'Hob 正在停止，不再接受新的运行。' },
    { retryAfterS: 5 },
  );
}

function waitedTooLong(waitMs: number): AppError {
  const seconds = waitMs / 1000;
  return new AppError(
    'queue-wait-exceeded',
    {
      en: `No slot became free within ${seconds} s (setting queue_wait_s), so the script was not started.`,
      zh: `等待 ${seconds} 秒后仍没有空闲的运行名额，脚本未启动。`,
    },
    { retryAfterS: 10 },
  );
}
