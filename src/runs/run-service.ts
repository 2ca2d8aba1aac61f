import { randomUUID } from 'node:crypto';

import type { Containment } from '../contract/values.ts';
import type { Count } from '../execution/messages.ts';
import { ParameterFiles, renewParameterFile, writeParameterFile } from '../execution/parameter-files.ts';
import type { Script } from '../scripts/script.ts';
import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import type { Feed } from '../shared/feed.ts';
import { claimOf, Gate, type Lease } from './gate.ts';
import { maskSecrets } from './inputs.ts';
import type { Progress } from './progress-board.ts';
import {
  callerStopping,
  endedAlready,
  executorSilent,
  outOfReach,
  stopping,
  unknownRun,
  waitedTooLong,
} from './refusals.ts';
import { hashToken, LiveRuns, newToken, Run, runFolderAt } from './run.ts';
import { RunCarrier } from './run-carrier.ts';
import { readRunNotes } from './run-notes.ts';
import { type BriefRun, notEnded, type RunEvent, type RunRecord } from './run-record.ts';
import { recoverRuns } from './run-recovery.ts';
import type { RunRequest, RunServiceOptions, SubmittedRun } from './run-request.ts';

/** Time that a stop needs besides the grace period: to kill processes, to check for survivors, and to record the ends. */
const stopSettleMs = 5000;

/** Accepts runs, and recovers the runs of an earlier service. */
export class RunService {
  readonly #options: RunServiceOptions;
  readonly #gate: Gate;
  readonly #carrier: RunCarrier;
  readonly #live = new LiveRuns();
  readonly #files: ParameterFiles;
  readonly #syncRuns = new Set<Promise<unknown>>();
  /** Synchronous runs that wait for a slot, and whether an executing run depends on them. */
  readonly #waiting = new Map<AbortController, { readonly isNeeded: boolean }>();
  #stopping = false;
  #endsRuns = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#gate = new Gate(options.limits);
    this.#files = new ParameterFiles(options);
    this.#carrier = new RunCarrier(options, this.#live, this.#files);
    options.executor.counts.subscribe((counts) => this.#recordCounts(counts));
    options.executor.silence.subscribe((pid) => this.#noteSilence(pid));
  }

  get events(): Feed<RunEvent> {
    return this.#options.ledger.feed;
  }

  get running(): number {
    return this.#gate.running;
  }

  get queued(): number {
    return this.#gate.queued;
  }

  get containment(): Containment | null {
    return this.#options.executor.containment;
  }

  get(runId: string): RunRecord {
    return this.#options.store.find(runId.toLowerCase()) ?? unknownRun(runId);
  }

  /** Like `get`, without large values. */
  getBrief(runId: string): BriefRun {
    return this.#options.store.findBrief(runId.toLowerCase()) ?? unknownRun(runId);
  }

  /** The notes that Hob wrote about a run. */
  notes(runId: string): Promise<string> {
    return readRunNotes(runFolderAt(this.#options.runsFolder, runId));
  }

  /**
   * Accepts a run. When this resolves, the run is on record, unless its caller waits and it starts at once: then it is recorded with
   * its start. Throws a refusal and leaves nothing behind if the run cannot be accepted.
   */
  async submit(request: RunRequest): Promise<SubmittedRun> {
    const { script, sync } = request;
    const lender = (sync ? request.caller?.runId : request.lender) ?? null;
    // An executing run may need its links, or a build of its environment, to finish.
    const isNeeded = lender !== null && this.#gate.isIn(lender);
    if (this.#stopping && !isNeeded) throw stopping();
    if (sync && request.caller !== null && this.#live.isClosing(request.caller.runId)) throw callerStopping();
    const { silentPid } = this.#options.executor;
    if (sync && silentPid !== null) throw executorSilent(silentPid);
    const runId = randomUUID();
    const token = newToken();
    const record = newRecord(runId, request, this.#options.clock.now());
    const run = new Run({
      ...this.#options,
      record,
      script,
      language: request.language,
      isKeyed: request.key !== undefined,
      acceptance: { tokenHash: hashToken(token), key: request.key },
    });
    const claim = claimOf(runId, script, lender);
    // The run enters the gate before the first `await`, so that runs start in order of arrival.
    const admission = this.#gate.enter(claim, run.stopping.signal);
    admission.catch(() => {});
    try {
      await this.#writeParameters(run, request, token);
      if (run.isDurable) await this.#options.ledger.queueDurably(run);
      else if (!this.#gate.isIn(runId)) this.#options.ledger.queue(run);
    } catch (error) {
      run.stopping.abort(error);
      void admission.then((lease) => lease.release()).catch(() => {});
      await this.#files.discard(runId);
      const errno = errnoOf(error);
      throw isExhaustion(errno) ? exhaustedError(errno, error) : error;
    }
    this.#live.add(run);
    // `endRuns` may have been called while this run was being recorded.
    if (this.#stopping && this.#endsRuns && !sync) this.#live.stop(runId, 'shutdown');
    const turn = sync
      ? this.#awaitTurn(admission, run, isNeeded)
      : this.#unlessStopping(admission, run, isNeeded);
    return this.#launch(run, script, { turn, isWaitedFor: sync });
  }

  /**
   * Records a run that would otherwise be recorded with its start, because another run is about to name it as its
   * parent.
   */
  record(runId: string): void {
    const run = this.#live.get(runId);
    if (run !== undefined) this.#options.ledger.queue(run);
  }

  /** Records that a run waits for another run that it did not start. */
  lend(runId: string, waitingRunId: string): void {
    this.#gate.lend(runId, waitingRunId);
  }

  isLive(runId: string): boolean {
    return this.#live.has(runId);
  }

  /** Whether a run that has not ended may need the files in this folder of its script. */
  isInUse(scriptId: string, scriptFolder: string): boolean {
    return this.#live.some(
      (run) => run.record.scriptId === scriptId && (run.scriptFolder ?? scriptFolder) === scriptFolder,
    );
  }

  /** Starts to stop a run and all runs that it waits for. The record shows the end when it is complete. */
  cancel(runId: string): void {
    const record = this.getBrief(runId);
    if (!this.#options.executor.canStop(record.runId)) throw outOfReach();
    if (!this.#live.stop(record.runId, 'cancelled')) throw endedAlready(record.runId);
  }

  /** Accepts the progress that a script reports. */
  report(runId: string, progress: Progress): void {
    const run = this.#live.get(runId);
    if (run === undefined) throw endedAlready(runId);
    this.#options.ledger.report(run, progress);
  }

  /**
   * Recovers the unfinished runs of an earlier service. `folders` lists the run folders from before this service
   * accepted a run.
   */
  recover(folders: readonly string[]): void {
    recoverRuns({
      options: this.#options,
      gate: this.#gate,
      live: this.#live,
      carrier: this.#carrier,
      launch: (run, script) => {
        const admission = this.#gate.readmit(claimOf(run.record.runId, script, null), run.stopping.signal);
        const turn = this.#unlessStopping(admission, run).then((lease) => this.#renew(run, script, lease));
        this.#launch(run, script, { turn, isWaitedFor: false });
      },
      reportDefect: (run, error) => this.#reportDefect(run, error),
    });
    void this.#files.sweep(folders, (runId) => this.isLive(runId));
  }

  /**
   * Accepts no more runs, starts no queued runs, and waits for synchronous runs, at most as long as the settings allow.
   * If `endRuns` was called, before or meanwhile, it then waits until all runs have ended and are on record. Aborting
   * the signal ends the wait.
   */
  async drain(signal: AbortSignal): Promise<void> {
    const { drainMs, stopGraceMs } = this.#options.limits;
    this.#stopping = true;
    // Runs that will not start any more are refused immediately.
    for (const [leaving, { isNeeded }] of this.#waiting) if (!isNeeded) leaving.abort(stopping());
    if (this.#endsRuns) this.endRuns();
    await within(Promise.allSettled([...this.#syncRuns]), drainMs, signal);
    if (!this.#endsRuns) return;
    this.#live.stopAll('shutdown', { sparing: 'none' });
    await within(this.#live.whenEmpty(), stopGraceMs + stopSettleMs, signal);
  }

  /** Ends all runs together with the service. Asynchronous runs are stopped immediately. */
  endRuns(): void {
    this.#endsRuns = true;
    this.#live.stopAll('shutdown', { sparing: 'waited-for' });
  }

  /** While the executor does not answer, asynchronous runs stay queued and synchronous callers get a refusal. */
  #noteSilence(pid: number | null): void {
    if (pid === null) {
      this.#gate.resume();
      return;
    }
    this.#gate.hold();
    for (const leaving of this.#waiting.keys()) leaving.abort(executorSilent(pid));
  }

  #recordCounts(counts: readonly Count[]): void {
    try {
      this.#options.store.recordLeftRunning(counts);
      this.#options.executor.acknowledgeCounts(counts.map(({ runId }) => runId));
    } catch (error) {
      // The executor sends the counts again on the next connection.
      this.#options.log.error({ err: error }, 'cannot record processes that runs left running');
    }
  }

  async #writeParameters(run: Run, request: RunRequest, token: string): Promise<void> {
    const { record, isDurable: durable } = run;
    const content = {
      apiBase: this.#apiBase(token),
      runId: record.runId,
      scriptId: request.script.id,
      scriptFolder: request.script.folder,
      invokeMode: request.sync ? ('node' as const) : ('manual' as const),
      data: request.data,
      params: request.params,
    };
    await writeParameterFile(run.folder, content, { durable });
  }

  #launch(
    run: Run,
    script: Script,
    { turn, isWaitedFor }: { turn: Promise<Lease>; isWaitedFor: boolean },
  ): SubmittedRun {
    let markStarted = (): void => {};
    const started = new Promise<void>((resolve) => (markStarted = resolve));
    const outcome = this.#carrier.carryOut(run, script, turn, markStarted);
    if (isWaitedFor) this.#syncRuns.add(outcome);
    outcome
      .catch((error: unknown) => {
        // A synchronous caller gets the rejection as its answer. In all other cases only the log shows it.
        if (!isWaitedFor || !(error instanceof AppError)) this.#reportDefect(run, error);
      })
      .finally(() => this.#syncRuns.delete(outcome));
    return { runId: run.record.runId, started, outcome };
  }

  /** The caller of a synchronous run waits only for a limited time. */
  async #awaitTurn(admission: Promise<Lease>, run: Run, isNeeded: boolean): Promise<Lease> {
    const leaving = run.stopping;
    // The service may have begun to stop, or the executor may have stopped answering, while this run was being
    // recorded.
    const { silentPid } = this.#options.executor;
    if (!isNeeded && this.#stopping) leaving.abort(stopping());
    else if (silentPid !== null) leaving.abort(executorSilent(silentPid));
    if (this.#gate.isIn(run.record.runId)) return admission;
    const { queueWaitMs } = this.#options.limits;
    const timer = setTimeout(() => leaving.abort(waitedTooLong(queueWaitMs)), queueWaitMs);
    this.#waiting.set(leaving, { isNeeded });
    try {
      return await admission;
    } finally {
      this.#waiting.delete(leaving);
      clearTimeout(timer);
    }
  }

  /** Runs that are still queued when the service stops stay on record for the next service. */
  async #unlessStopping(admission: Promise<Lease>, run: Run, isNeeded = false): Promise<Lease> {
    const lease = await admission;
    if (!this.#stopping || isNeeded) return lease;
    lease.release();
    const { signal } = run.stopping;
    signal.throwIfAborted();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /** The parameter file of a recovered run was written by an earlier service. */
  async #renew({ folder }: Run, script: Script, lease: Lease): Promise<Lease> {
    try {
      const apiBase = (token: string) => this.#apiBase(token);
      await renewParameterFile(folder, { apiBase, scriptFolder: script.folder });
      return lease;
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  /** The address that a script calls. It contains the token of its run. */
  #apiBase(token: string): string {
    return `${this.#options.address.url}/r/${token}`;
  }

  #reportDefect(run: Run, error: unknown): void {
    run.log.error({ err: error }, 'run failed: internal error');
  }
}

/** Waits for a promise, for at most `ms` milliseconds or until the signal is aborted. */
async function within(what: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let timer: NodeJS.Timeout | undefined;
  // Uses a timer instead of `AbortSignal.any`: a combined signal may be garbage-collected before it fires.
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([what, enough]);
  clearTimeout(timer);
}

/** Builds the record of a new run. */
function newRecord(runId: string, request: RunRequest, now: Date): RunRecord {
  const { script } = request;
  return {
    runId,
    scriptId: script.id,
    scriptName: script.name,
    scriptVersion: script.version,
    origin: request.origin,
    parentRunId: request.caller?.runId ?? null,
    depth: request.depth,
    sync: request.sync,
    executor: null,
    state: 'queued',
    data: request.data,
    params: maskSecrets(script, request.params),
    queuedAt: now.toISOString(),
    startedAt: null,
    ...notEnded,
  };
}
