import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';

import { type Containment, type Count, endWithoutProcess, type RunEnd } from '../execution/messages.ts';
import type { Script } from '../scripts/script.ts';
import { assertNever } from '../shared/assert-never.ts';
import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import type { Feed } from '../shared/feed.ts';
import type { Language, Text } from '../shared/text.ts';
import { hashToken, newToken } from './chain.ts';
import { type Claim, Gate, type Lease } from './gate.ts';
import { LiveRuns, stopCauseOf } from './live-runs.ts';
import { runFolderAt, writeParameterFile } from './parameter-file.ts';
import { type LiveRun, RunCarrier, type RunEvent } from './run-carrier.ts';
import type { RunRecord } from './run-record.ts';
import { newRecord, type RunRequest, type RunServiceOptions, type SubmittedRun } from './run-request.ts';

/** What stopping takes beside the grace: to kill, to look whether anybody is left, and to write it down. */
const stopSettleMs = 5000;

/** Takes requests to run, and takes up what an earlier service left. */
export class RunService {
  readonly #options: RunServiceOptions;
  readonly #gate: Gate;
  readonly #carrier: RunCarrier;
  readonly #live = new LiveRuns();
  readonly #syncRuns = new Set<Promise<unknown>>();
  /** Synchronous runs that wait for their turn. */
  readonly #waiting = new Set<AbortController>();
  #stopping = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#gate = new Gate(options.limits);
    this.#carrier = new RunCarrier(options, this.#live);
    options.executor.counts.subscribe((counts) => this.#recordCounts(counts));
  }

  get events(): Feed<RunEvent> {
    return this.#carrier.events;
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
    const record = this.#options.store.find(runId.toLowerCase());
    if (record !== null) return record;
    throw new AppError('run-unknown', { en: `There is no run ${runId}`, zh: `运行不存在: ${runId}` });
  }

  /** Accepts a run: when this resolves it is on record. Throws a refusal, with nothing left behind, when it cannot be. */
  async submit(request: RunRequest): Promise<SubmittedRun> {
    const { script, sync } = request;
    // A run that is waited for may still need its links to end well.
    const isNeeded = sync && request.caller !== null && this.#gate.isIn(request.caller.runId);
    if (this.#stopping && !isNeeded) throw stopping();
    const runId = randomUUID();
    const token = newToken();
    const run = this.#describe(
      newRecord(runId, request, this.#options.clock.now()),
      script,
      request.language,
    );
    const claim = claimOf(runId, script, sync ? (request.caller?.runId ?? null) : null);
    // Its place is taken before anything is awaited, so that runs start in the order in which they came.
    const admission = this.#gate.enter(claim, run.stopping.signal);
    admission.catch(() => {});
    try {
      await this.#prepare(run, request, token);
    } catch (error) {
      run.stopping.abort(error);
      void admission.then((lease) => lease.release()).catch(() => {});
      await rm(run.folder.path, { recursive: true, force: true });
      const errno = errnoOf(error);
      throw isExhaustion(errno) ? exhaustedError(errno, error) : error;
    }
    this.events.publish({ type: 'queued', runId });
    this.#track(run);
    const turn = sync
      ? this.#awaitTurn(admission, run.stopping, isNeeded)
      : this.#unlessStopping(admission, run);
    return this.#launch(run, script, turn);
  }

  /** Begins to stop a run, with all it waits for. How it ends is in its record, soon. */
  cancel(runId: string): void {
    const record = this.get(runId);
    if (!this.#live.stop(record.runId, 'cancelled')) throw endedAlready(record);
  }

  /** Takes up what an earlier service left unfinished: nothing runs twice, and every run gets its end. */
  recover(): void {
    // All of them are known before the first is asked for: its end may concern another.
    const unfinished = this.#options.store.unfinished().map((record) => {
      const script = this.#options.findScript(record.scriptId);
      const run = this.#describe(record, script, 'zh');
      this.#track(run);
      return { run, script };
    });
    const recovered = unfinished.map((each) => ({ ...each, ended: this.#endOf(each) }));
    // First those that may still run, so that they have their places before those that wait for one.
    for (const { run, script, ended } of recovered) {
      if (ended === null) continue;
      void this.#takeUp(run, script, ended).catch((error: unknown) => this.#reportDefect(run, error));
    }
    for (const { run, script, ended } of recovered) {
      if (ended !== null || script === null) continue;
      const claim = claimOf(run.record.runId, script, null);
      this.#launch(run, script, this.#unlessStopping(this.#gate.readmit(claim, run.stopping.signal), run));
    }
    this.#options.executor.catchUp();
  }

  /**
   * Takes no more work, starts nothing that waits, and waits for those whose callers wait, as long as the setting allows.
   * With `stopRuns` it then ends every other run, too, and waits until that is on record. Aborting the signal ends the waiting.
   */
  async drain(signal: AbortSignal, { stopRuns }: { stopRuns: boolean }): Promise<void> {
    const { drainMs, stopGraceMs } = this.#options.limits;
    this.#stopping = true;
    // Whoever has not started yet need not wait to hear that it will not.
    for (const leaving of this.#waiting) leaving.abort(stopping());
    if (stopRuns) this.#live.stopAll('shutdown', { sparing: 'waited-for' });
    await within(Promise.allSettled([...this.#syncRuns]), drainMs, signal);
    if (!stopRuns) return;
    this.#live.stopAll('shutdown', { sparing: 'none' });
    await within(this.#live.whenEmpty(), stopGraceMs + stopSettleMs, signal);
  }

  /** The end of an unfinished run, known or to be waited for; null when it has not begun, and can. */
  #endOf({ run, script }: { run: LiveRun; script: Script | null }): Promise<RunEnd> | null {
    const { runId, sync, state, executor } = run.record;
    const hooks = { timedOut: () => this.#live.stopChildren(runId, 'cancelled') };
    const attachment =
      state === 'queued'
        ? ({ kind: 'never-given' } as const)
        : this.#options.executor.attach(runId, executor, hooks);
    switch (attachment.kind) {
      case 'attached':
        return attachment.end;
      case 'unknown':
        return Promise.resolve(endWithoutProcess(runId, 'lost'));
      case 'never-given':
        // The caller of a synchronous run is gone, and would not know what to make of it if it ran now.
        if (sync) return Promise.resolve(endWithoutProcess(runId, 'lost'));
        return script === null ? Promise.resolve(endWithoutProcess(runId, 'spawn-failed')) : null;
      default:
        return assertNever(attachment);
    }
  }

  /** Waits for a run that an earlier service started. */
  async #takeUp(run: LiveRun, script: Script | null, ended: Promise<RunEnd>): Promise<void> {
    const { runId, sync, parentRunId } = run.record;
    const { signal } = run.stopping;
    const leaving = new AbortController();
    const place =
      script === null
        ? null
        : this.#gate.readmit(claimOf(runId, script, sync ? parentRunId : null), leaving.signal);
    signal.addEventListener('abort', () => this.#options.executor.stop(runId, stopCauseOf(signal)));
    try {
      const end = await ended;
      const isScriptGone = script === null && end.cause === 'spawn-failed';
      await this.#carrier.conclude(run, end, isScriptGone ? scriptGone(run.record) : null);
    } finally {
      leaving.abort();
      void place?.then((lease) => lease.release()).catch(() => {});
    }
  }

  #track(run: LiveRun): void {
    const { runId, sync, parentRunId } = run.record;
    this.#live.add({
      runId,
      waitingParent: sync ? parentRunId : null,
      isWaitedFor: sync,
      stopping: run.stopping,
    });
  }

  #recordCounts(counts: readonly Count[]): void {
    try {
      this.#options.store.recordLeftRunning(counts);
      this.#options.executor.acknowledgeCounts(counts.map(({ runId }) => runId));
    } catch (error) {
      // They come again with the next connection.
      this.#options.log.error({ err: error }, 'what runs have left running could not be recorded');
    }
  }

  #describe(record: RunRecord, script: Script | null, language: Language): LiveRun {
    return {
      record,
      folder: runFolderAt(this.#options.runsFolder, record.runId),
      timeoutMs: (script?.runtime.timeoutMs ?? this.#options.limits.timeoutMs) || null,
      language,
      log: this.#options.log.child({ run: record.runId, script: record.scriptName }),
      stopping: new AbortController(),
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

  #launch(run: LiveRun, script: Script, turn: Promise<Lease>): SubmittedRun {
    let markStarted = (): void => {};
    const started = new Promise<void>((resolve) => {
      markStarted = resolve;
    });
    const outcome = this.#carrier.carryOut(run, script, turn, markStarted);
    if (run.record.sync) this.#syncRuns.add(outcome);
    outcome
      .catch((error: unknown) => {
        // A synchronous caller gets the rejection as its answer; nobody else would hear of it.
        if (!run.record.sync || !(error instanceof AppError)) this.#reportDefect(run, error);
      })
      .finally(() => this.#syncRuns.delete(outcome));
    return { runId: run.record.runId, started, outcome };
  }

  /** Somebody waits for a synchronous run, and not for ever. */
  async #awaitTurn(admission: Promise<Lease>, leaving: AbortController, isNeeded: boolean): Promise<Lease> {
    const { queueWaitMs } = this.#options.limits;
    const timer = setTimeout(() => leaving.abort(waitedTooLong(queueWaitMs)), queueWaitMs);
    if (!isNeeded) this.#waiting.add(leaving);
    // The service may have begun to stop while this run was being written down.
    if (!isNeeded && this.#stopping) leaving.abort(stopping());
    try {
      return await admission;
    } finally {
      this.#waiting.delete(leaving);
      clearTimeout(timer);
    }
  }

  /** What still waits when the service stops goes on waiting, on record, for the next one. */
  async #unlessStopping(admission: Promise<Lease>, run: LiveRun): Promise<Lease> {
    const lease = await admission;
    if (!this.#stopping) return lease;
    lease.release();
    const { signal } = run.stopping;
    signal.throwIfAborted();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  #reportDefect(run: LiveRun, error: unknown): void {
    run.log.error({ err: error }, 'a run could not be carried out as it should');
  }
}

/** Only a run that somebody waits for may borrow what its caller holds: any other may outlive it. */
function claimOf(runId: string, script: Script, waitingParent: string | null): Claim {
  const { concurrency, lock } = script.runtime;
  return { runId, scriptId: script.id, concurrency, lock, waitingParent };
}

/** Waits for something, but not for ever. */
async function within(what: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const ended = new Promise<void>((resolve) => {
    if (enough.aborted) resolve();
    enough.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([what, ended]);
}

function endedAlready({ runId }: RunRecord): AppError {
  return new AppError('run-ended', { en: `The run ${runId} has ended already.`, zh: `运行已结束: ${runId}` });
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
