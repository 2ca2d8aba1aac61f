import { randomUUID } from 'node:crypto';

import type { Containment } from '../contract/values.ts';
import type { Count } from '../execution/messages.ts';
import {
  type InvokeMode,
  ParameterFiles,
  readSecretsFile,
  renewParameterFile,
  writeParameterFile,
  writeSecretsFile,
} from '../execution/parameter-files.ts';
import type { Script } from '../scripts/script.ts';
import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import type { Feed } from '../shared/feed.ts';
import type { Language } from '../shared/text.ts';
import { claimOf, Gate, type Lease } from './gate.ts';
import { maskSecrets, secretsIn } from './inputs.ts';
import type { Progress } from './progress-board.ts';
import {
  callerStopping,
  endedAlready,
  executorSilent,
  outOfReach,
  scriptRemoved,
  secretsGone,
  stopping,
  unknownRun,
  waitedTooLong,
} from './refusals.ts';
import { retriesFor } from './retry-plan.ts';
import { hashToken, LiveRuns, newToken, Run, runFolderAt } from './run.ts';
import { isUnattended, RunCarrier } from './run-carrier.ts';
import { addRunNote, readRunNotes } from './run-notes.ts';
import {
  type BriefRun,
  notEnded,
  type RetryPlan,
  type RunEvent,
  type RunRecord,
  type SeriesEnd,
  SeriesOver,
} from './run-record.ts';
import { recoverRuns } from './run-recovery.ts';
import type { RunOutcome, RunRequest, RunServiceOptions, SubmittedRun } from './run-request.ts';
import { RunSeries } from './series.ts';

/** Time that a stop needs besides the grace period: to kill processes, to check for survivors, and to record the ends. */
const stopSettleMs = 5000;

/** Accepts runs, and recovers the runs of an earlier service. */
export class RunService {
  readonly #options: RunServiceOptions;
  readonly #gate: Gate;
  readonly #carrier: RunCarrier;
  readonly #live = new LiveRuns();
  readonly #files: ParameterFiles;
  readonly #series: RunSeries;
  readonly #syncRuns = new Set<Promise<unknown>>();
  /** Synchronous runs that wait for a slot, and whether an executing run depends on them. */
  readonly #waiting = new Map<AbortController, { readonly isNeeded: boolean }>();
  #stopping = false;
  #endsRuns = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#gate = new Gate(options.limits);
    this.#files = new ParameterFiles(options);
    this.#series = new RunSeries({
      ...options,
      start: (previous, language) => this.#startAttempt(previous, language),
      onAbandoned: (previous, why) => this.#noteAbandoned(previous, why),
    });
    this.#live.childrenStopped.subscribe((runId) => this.#series.cancelBelow(runId));
    this.#carrier = new RunCarrier(options, { live: this.#live, files: this.#files, series: this.#series });
    options.executor.counts.subscribe((counts) => this.#recordCounts(counts));
    options.executor.silence.subscribe((pid) => this.#noteSilence(pid));
  }

  get events(): Feed<RunEvent> {
    return this.#options.ledger.feed;
  }

  /** Publishes each run whose last attempt has ended: a run without retries when it ends. */
  get seriesEnds(): Feed<SeriesEnd> {
    return this.#series.ends;
  }

  /** Whether the series of attempts that began with this run goes on: an attempt is queued, running or awaited. */
  isSeriesLive(firstRunId: string): boolean {
    return this.#series.isLive(firstRunId);
  }

  /** All attempts of the series that this run belongs to, in order. */
  attemptsOf(run: Pick<BriefRun, 'runId' | 'firstRunId'>): readonly BriefRun[] {
    return this.#options.store.attempts(run.firstRunId ?? run.runId);
  }

  /** The last attempt of the series that began with this run, without large values; the run itself if it has no other. */
  lastAttempt(firstRunId: string): BriefRun {
    return this.#options.store.lastAttempt(firstRunId) ?? unknownRun(firstRunId);
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
   * Accepts a run. When this resolves, the run is on record, unless its caller waits, as agents do, and it starts at once: then it is
   * recorded with its start. Throws a refusal and leaves nothing behind if the run cannot be accepted.
   */
  async submit(request: RunRequest): Promise<SubmittedRun> {
    const { script, origin, params } = request;
    const retries = retriesFor(origin, script, request.retries);
    const plan = retries && { ...retries, hasSecrets: secretsIn(script, params) !== null };
    return this.#accept(request, { plan, attempt: 1, firstRunId: null, previousRunId: null });
  }

  async #accept(request: RunRequest, place: Place): Promise<SubmittedRun> {
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
    const record = newRecord(runId, { request, place, now: this.#options.clock.now() });
    const run = new Run({
      ...this.#options,
      record,
      script,
      language: request.language,
      isKeyed: request.key !== undefined,
      acceptance: {
        tokenHash: hashToken(token),
        key: request.key,
        previousRunId: place.previousRunId,
      },
    });
    const claim = claimOf(runId, script, lender);
    // The run enters the gate before the first `await`, so that runs start in order of arrival.
    const admission = this.#gate.enter(claim, run.stopping.signal);
    admission.catch(() => {});
    // An agent waits for its call, so a run that starts at once need not survive a power failure. A queued one must not start twice.
    const isDurable = run.isDurable && !(isFirstOfAgent(run.record) && this.#gate.isIn(runId));
    try {
      await this.#writeParameters(run, { request, token, isDurable });
      if (isDurable) await this.#options.ledger.queueDurably(run);
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
    // The caller of a further attempt has waited for the earlier ones, so it does not give up because of a full queue.
    const turn =
      sync && place.attempt === 1
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

  /**
   * Starts to stop a run and all runs that it waits for. The record shows the end when it is complete. Ends the series of
   * attempts that the run belongs to, also while it waits for its next attempt. Returns what it ended.
   */
  cancel(runId: string): 'run' | 'wait' {
    const record = this.getBrief(runId);
    // The attempt that is open now, if this one has ended.
    const open = record.endedAt === null ? record : this.lastAttempt(record.firstRunId ?? record.runId);
    if (this.#series.cancel(open)) return 'wait';
    if (!this.#options.executor.canStop(open.runId)) throw outOfReach();
    if (!this.#live.stop(open.runId, 'cancelled')) throw endedAlready(record.runId);
    return 'run';
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
    this.#series.recover();
    void this.#files.sweep(folders, {
      isLive: (runId) => this.isLive(runId),
      isAwaited: (runId) => this.#series.isAwaited(runId),
    });
  }

  /**
   * Accepts no more runs, starts no queued runs, and waits for synchronous runs, at most as long as the settings allow.
   * If `endRuns` was called, before or meanwhile, it then waits until all runs have ended and are on record. Aborting
   * the signal ends the wait.
   */
  async drain(signal: AbortSignal): Promise<void> {
    const { drainMs, stopGraceMs } = this.#options.limits;
    this.#stopping = true;
    if (this.#endsRuns) this.#series.cancelAll();
    this.#series.stop();
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
    if (this.#stopping) this.#series.cancelAll();
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

  async #writeParameters(
    run: Run,
    { request, token, isDurable: durable }: { request: RunRequest; token: string; isDurable: boolean },
  ): Promise<void> {
    const { record } = run;
    const content = {
      apiBase: this.#apiBase(token),
      runId: record.runId,
      scriptId: request.script.id,
      scriptFolder: request.script.folder,
      invokeMode: invokeModeOf(request),
      data: request.data,
      params: request.params,
    };
    await writeParameterFile(run.folder, content, { durable });
    const plan = record.retries;
    // The last attempt leaves them to no other.
    const isLast = plan === null || record.attempt >= plan.attempts;
    const secrets = plan?.hasSecrets && !isLast ? secretsIn(request.script, request.params) : null;
    if (secrets !== null) await writeSecretsFile(run.folder, secrets, { durable });
  }

  /** Starts the attempt after a run that has ended, with the inputs of that run. */
  async #startAttempt({ runId }: BriefRun, language: Language): Promise<SubmittedRun> {
    const { store, resolveScript, runsFolder } = this.#options;
    const previous = store.find(runId);
    if (previous === null || previous.nextAttemptAt === null || previous.retries === null)
      throw new SeriesOver(null);
    const { parentRunId, depth, attempt, triggerId, client, retries } = previous;
    const script = await resolveScript(previous.scriptId).catch((error: unknown) => {
      // A script that cannot run now may be about to be saved again.
      throw error instanceof AppError && error.code === 'script-unknown'
        ? new SeriesOver(scriptRemoved)
        : error;
    });
    const folder = runFolderAt(runsFolder, runId);
    const secrets = retries.hasSecrets ? await readSecretsFile(folder) : {};
    if (secrets === null) throw new SeriesOver(secretsGone);
    const request: RunRequest = {
      script,
      origin: previous.origin,
      ...(triggerId !== null && { triggerId }),
      ...(client !== null && { client }),
      caller: parentRunId === null ? null : { runId: parentRunId, depth },
      depth,
      sync: previous.sync,
      data: previous.data,
      params: { ...previous.params, ...secrets },
      language,
    };
    const next = await this.#accept(request, {
      plan: retries,
      attempt: attempt + 1,
      firstRunId: previous.firstRunId ?? runId,
      previousRunId: runId,
    });
    if (retries.hasSecrets) void this.#files.removeSecrets(runId);
    return next;
  }

  #noteAbandoned({ runId, retries }: BriefRun, why: string | null): void {
    const { runsFolder, clock, log } = this.#options;
    if (retries?.hasSecrets) void this.#files.removeSecrets(runId);
    log.info({ run: runId, why }, 'no further attempt');
    if (why === null) return;
    addRunNote(runFolderAt(runsFolder, runId), clock.now(), why).catch((error: unknown) => {
      log.warn({ err: error, run: runId }, 'cannot store a note about a run');
    });
  }

  #launch(
    run: Run,
    script: Script,
    { turn, isWaitedFor }: { turn: Promise<Lease>; isWaitedFor: boolean },
  ): SubmittedRun {
    let markStarted = (): void => {};
    const started = new Promise<void>((resolve) => (markStarted = resolve));
    const carried = this.#carrier.carryOut(run, script, turn, markStarted);
    const outcome = run.record.retries === null ? carried : this.#followSeries(run, carried);
    if (isWaitedFor) this.#syncRuns.add(outcome);
    carried.catch((error: unknown) => {
      // A synchronous caller gets the rejection as its answer. In all other cases only the log shows it.
      if (!isWaitedFor || !(error instanceof AppError)) this.#reportDefect(run, error);
    });
    const forget = () => this.#syncRuns.delete(outcome);
    outcome.then(forget, forget);
    return { runId: run.record.runId, started, outcome };
  }

  /** The outcome of the last attempt. */
  async #followSeries(run: Run, carried: Promise<RunOutcome>): Promise<RunOutcome> {
    // A further attempt that could not start is followed by another one like any other.
    await carried.catch(() => {});
    const next = await this.#series.nextAfter(run.record.runId);
    return next === null ? carried : next.outcome;
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

function isFirstOfAgent({ origin, attempt }: RunRecord): boolean {
  return origin === 'mcp' && attempt === 1;
}

/** How the script was called, as its parameter file says. */
function invokeModeOf({ origin, sync }: Pick<RunRequest, 'origin' | 'sync'>): InvokeMode {
  if (isUnattended(origin)) return 'scheduled';
  // An agent reads the result as a caller that waits does, even if it looks for it later.
  return sync || origin === 'mcp' ? 'node' : 'manual';
}

/** The place of a run in its series of attempts. */
interface Place {
  readonly plan: RetryPlan | null;
  readonly attempt: number;
  readonly firstRunId: string | null;
  readonly previousRunId: string | null;
}

/** Builds the record of a new run. */
function newRecord(
  runId: string,
  { request, place, now }: { request: RunRequest; place: Place; now: Date },
): RunRecord {
  const { script } = request;
  return {
    runId,
    scriptId: script.id,
    scriptName: script.name,
    scriptVersion: script.version,
    origin: request.origin,
    triggerId: request.triggerId ?? null,
    client: request.client ?? null,
    parentRunId: request.caller?.runId ?? null,
    depth: request.depth,
    sync: request.sync,
    attempt: place.attempt,
    firstRunId: place.firstRunId,
    retries: place.plan,
    executor: null,
    state: 'queued',
    data: request.data,
    params: maskSecrets(script, request.params),
    queuedAt: now.toISOString(),
    startedAt: null,
    ...notEnded,
  };
}
