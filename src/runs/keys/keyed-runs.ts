import { createHash, createHmac } from 'node:crypto';

import type { RunEnd } from '../../execution/messages.ts';
import { AppError } from '../../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { keptIn } from '../outcome/lost-output.ts';
import { waitCircle } from '../refusals.ts';
import { type Caller, type RunEnds, runFolderAt } from '../run.ts';
import { outcomeOf } from '../run-carrier.ts';
import type { KeptOutput, RunRecord } from '../run-record.ts';
import { isOpen } from '../run-record.ts';
import type { RunOutcome, RunServiceOptions, SubmittedRun } from '../run-request.ts';
import type { RunStore } from '../run-store.ts';
import type { KeyStore, KeyUse } from './key-store.ts';

interface RecallOptions extends Pick<RunServiceOptions, 'readOutcome' | 'runsFolder'> {
  limits: Pick<RunServiceOptions['limits'], 'resultBytes' | 'outputAnswerBytes'>;
}

interface KeyedRequest {
  readonly key: string;
  readonly scriptId: string;
  /** The format of the body: strings of a form have another meaning than strings of JSON. */
  readonly kind: 'json' | 'form';
  readonly fields: JsonObject;
}

interface KeyedRunsOptions {
  keys: KeyStore;
  /** Ignores keys that were used before this time. */
  keptSince: () => string;
  store: Pick<RunStore, 'find' | 'findBrief' | 'lastAttempt' | 'has'>;
  ends: RunEnds;
  /** Reads the outcome of a run that has ended. */
  recall: (record: RunRecord) => Promise<RunOutcome>;
  /** Lets a queued run borrow the resources of the run that waits for it. Otherwise they might wait for each other. */
  lend: (runId: string, waitingRunId: string) => void;
}

/** The run of a key. */
export interface KeyedRun {
  readonly runId: string;
  /** Whether an earlier request started the run. */
  readonly isRepeat: boolean;
  /** For a caller that waits. Aborting the signal, with the refusal as its reason, ends the wait but not the run. */
  follow(caller: Caller, signal: AbortSignal): SubmittedRun;
}

/** Requests with an idempotency key. Repeated and concurrent requests with the same key start one run. */
export class KeyedRuns {
  readonly #options: KeyedRunsOptions;
  /** Requests that are being accepted, by script and key. */
  readonly #claims = new Map<string, Promise<void>>();
  /** Runs that were started here and have not ended. */
  readonly #live = new Map<string, SubmittedRun>();

  constructor(options: KeyedRunsOptions) {
    this.#options = options;
  }

  /**
   * Returns the run for which this key was used, or starts one with `start`, which records the run together with the
   * key. Concurrent requests wait for the first. If the first is refused, the next request calls its own `start`
   * instead of being refused as well: its body may be valid, and a missing resource may be available again.
   */
  async once(use: KeyUse, start: () => Promise<SubmittedRun>): Promise<KeyedRun> {
    const name = `${use.keyHash} ${use.scriptId}`;
    for (let claim = this.#claims.get(name); claim !== undefined; claim = this.#claims.get(name)) await claim;
    // No `await` between this check and the new claim, so only one request wins.
    const known = this.#options.keys.find(use, this.#options.keptSince());
    if (known !== null) {
      if (known.bodyMac !== use.bodyMac) throw reused(known.runId);
      return this.#repeat(known.runId);
    }
    let releaseClaim = (): void => {};
    this.#claims.set(name, new Promise((resolve) => (releaseClaim = resolve)));
    try {
      const run = await start();
      this.#watch(run);
      return { runId: run.runId, isRepeat: false, follow: () => run };
    } finally {
      this.#claims.delete(name);
      releaseClaim();
    }
  }

  /** The run for which this key was used, or null. */
  find(use: KeyUse): string | null {
    return this.#options.keys.find(use, this.#options.keptSince())?.runId ?? null;
  }

  #watch(run: SubmittedRun): void {
    this.#live.set(run.runId, run);
    const forget = () => this.#live.delete(run.runId);
    run.outcome.then(forget, forget);
  }

  #repeat(runId: string): KeyedRun {
    if (!this.#options.store.has(runId)) throw gone(runId);
    return {
      runId,
      isRepeat: true,
      follow: (caller, signal) => {
        if (caller !== null) this.#lendResources(caller.runId, runId);
        // All callers that wait for a run started here share its outcome, including a refusal.
        const live = this.#live.get(runId);
        return live ?? { runId, started: Promise.resolve(), outcome: this.#outcomeOf(runId, signal) };
      },
    };
  }

  /**
   * Lets a queued run borrow the resources of its caller. Throws if the key belongs to the caller itself, or to a run that
   * waits for the caller, directly or indirectly.
   */
  #lendResources(callerId: string, runId: string): void {
    const { store, lend } = this.#options;
    const open = store.lastAttempt(runId);
    if (open?.endedAt !== null) return;
    for (let waiting: string | null = callerId; waiting !== null; ) {
      if (waiting === open.runId) throw waitCircle();
      const run = store.findBrief(waiting);
      waiting = run?.sync ? run.parentRunId : null;
    }
    lend(open.runId, callerId);
  }

  async #outcomeOf(runId: string, signal: AbortSignal): Promise<RunOutcome> {
    const { ends, store, recall } = this.#options;
    await ends.waitForSeries(runId, signal);
    const last = store.lastAttempt(runId);
    const record = last === null ? null : store.find(last.runId);
    if (record === null) throw gone(runId);
    if (isOpen(record)) throw signal.reason;
    return recall(record);
  }
}

function reused(runId: string): AppError {
  return new AppError('idempotency-key-reused', {
    en: `This Idempotency-Key was already sent with a different body, for the run ${runId}. Send the same body to get that run, or a new key to start another run.`,
    zh: `该 Idempotency-Key 已用于内容不同的请求（运行 ${runId}）。请发送相同的内容以获取该运行，或换用新的键。`,
  });
}

function gone(runId: string): AppError {
  return new AppError('idempotency-run-gone', {
    en: `The run ${runId} of this Idempotency-Key was deleted, and Hob does not start it again. Send a new key to start another run.`,
    zh: `该 Idempotency-Key 对应的运行 ${runId} 已被删除，不会再次启动。如需重新运行，请换用新的键。`,
  });
}

/**
 * Computes the stored form of a key and its request. The order of the fields and the letter case of the script id do
 * not matter. A body may contain secrets, which an attacker could guess from a plain hash. The hash therefore uses the
 * key as its secret.
 */
export function fingerprint({ key, scriptId, kind, fields }: KeyedRequest): KeyUse {
  const id = scriptId.toLowerCase();
  const body = `${kind} ${canonicalJson({ ...fields, script_id: id })}`;
  return {
    scriptId: id,
    keyHash: createHash('sha256').update(key).digest('hex'),
    bodyMac: createHmac('sha256', key).update(body).digest('hex'),
  };
}

/** Serializes a value so that equal values have equal texts. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/**
 * Rebuilds the outcome of an ended run, possibly of an earlier service, as its first caller received it. The envelope
 * comes from the record, because the result file may have changed since. The output comes from the run's folder.
 */
export async function recallOutcome(
  record: RunRecord,
  { readOutcome, runsFolder, limits }: RecallOptions,
): Promise<RunOutcome> {
  const folder = runFolderAt(runsFolder, record.runId);
  const end: RunEnd = {
    runId: record.runId,
    cause: record.endCause ?? 'lost',
    exitCode: record.exitCode ?? -1,
    signal: null,
    spawnError: null,
    startedAtMs: null,
    endedAtMs: Date.parse(record.endedAt ?? record.queuedAt),
    durationMs: record.durationMs ?? 0,
    stdout: await capture(folder.stdoutLog, record.stdoutBytes, record.stdoutKept),
    stderr: await capture(folder.stderrLog, record.stderrBytes, record.stderrKept),
    leftRunning: record.leftRunning,
  };
  const texts = await readOutcome({
    folder,
    end,
    timeoutMs: null,
    unavailable: null,
    language: 'zh',
    limits: { resultBytes: limits.resultBytes, outputAnswerBytes: limits.outputAnswerBytes },
    withOutput: true,
    recorded: record.result,
  });
  return outcomeOf(end, texts);
}

async function capture(log: string, bytes: number | null, kept: KeptOutput | null) {
  return bytes === null || kept === null ? keptIn(log) : { bytes, ...kept };
}
