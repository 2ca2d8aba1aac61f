import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';

import { endWithoutProcess } from '../execution/messages.ts';
import { readSavedEnd } from '../execution/saved-end.ts';
import type { Script } from '../scripts/script.ts';
import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import type { Feed } from '../shared/feed.ts';
import type { Language, Text } from '../shared/text.ts';
import { type Caller, hashToken, newToken } from './chain.ts';
import { type Claim, Gate, type Lease } from './gate.ts';
import { runFolderAt, writeParameterFile } from './parameter-file.ts';
import { type LiveRun, RunCarrier, type RunEvent } from './run-carrier.ts';
import type { RunRecord } from './run-record.ts';
import { newRecord, type RunRequest, type RunServiceOptions, type SubmittedRun } from './run-request.ts';

/** Takes requests to run, and takes up what an earlier service left. */
export class RunService {
  readonly #options: RunServiceOptions;
  readonly #gate: Gate;
  readonly #carrier: RunCarrier;
  readonly #syncRuns = new Set<Promise<unknown>>();
  /** Synchronous runs that wait for their turn. */
  readonly #waiting = new Set<AbortController>();
  #stopping = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
    this.#gate = new Gate(options.limits);
    this.#carrier = new RunCarrier(options);
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

  find(runId: string): RunRecord | null {
    return this.#options.store.find(runId.toLowerCase());
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
    const claim = claimOf(runId, script, sync ? request.caller : null);
    const leaving = new AbortController();
    // Its place is taken before anything is awaited, so that runs start in the order in which they came.
    const admission = this.#gate.enter(claim, leaving.signal);
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
    return this.#launch(
      run,
      script,
      sync ? this.#awaitTurn(admission, leaving, isNeeded) : this.#unlessStopping(admission),
    );
  }

  /** Takes up what an earlier service left unfinished: nothing runs twice, and every run gets its end. */
  recover(): void {
    const unfinished = this.#options.store.unfinished();
    const isWaiting = (record: RunRecord) => record.state === 'queued' && !record.sync;
    // First those that may still run, so that they have their places before those that wait for one.
    const recovered = [...unfinished.filter((each) => !isWaiting(each)), ...unfinished.filter(isWaiting)];
    for (const record of recovered) {
      const script = this.#options.findScript(record.scriptId);
      const run = this.#describe(record, script, 'zh');
      if (isWaiting(record) && script !== null) {
        const never = new AbortController();
        const admission = this.#gate.readmit(claimOf(record.runId, script, null), never.signal);
        this.#launch(run, script, this.#unlessStopping(admission));
      } else {
        void this.#takeUp(run, script).catch((error: unknown) => this.#reportDefect(run, error));
      }
    }
  }

  /** Takes no more work, starts nothing that waits, and waits for those whose callers wait, unless the signal says enough. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#stopping = true;
    // Whoever has not started yet need not wait to hear that it will not.
    for (const leaving of this.#waiting) leaving.abort(stopping());
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([Promise.allSettled([...this.#syncRuns]), aborted]);
  }

  /** Waits for a run that an earlier service started, if the executor still has it, or has written down how it ended. */
  async #takeUp(run: LiveRun, script: Script | null): Promise<void> {
    const { runId, state, sync } = run.record;
    if (state === 'queued' && !sync) {
      await this.#carrier.conclude(run, endWithoutProcess(runId, 'spawn-failed'), scriptGone(run.record));
      return;
    }
    const attached = this.#options.executor.attach(runId);
    const leaving = new AbortController();
    const place =
      attached && script ? this.#gate.readmit(claimOf(runId, script, null), leaving.signal) : null;
    try {
      const end = (await attached) ?? (await readSavedEnd(run.folder.path, runId));
      await this.#carrier.conclude(run, end ?? endWithoutProcess(runId, 'lost'));
    } finally {
      leaving.abort();
      void place?.then((lease) => lease.release()).catch(() => {});
    }
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
  async #unlessStopping(admission: Promise<Lease>): Promise<Lease> {
    const lease = await admission;
    if (!this.#stopping) return lease;
    lease.release();
    return new Promise(() => {});
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
