import { hash, randomFillSync } from 'node:crypto';
import { join } from 'node:path';

import type { StopCause } from '../execution/messages.ts';
import { parameterFileName } from '../execution/parameter-files.ts';
import type { Script } from '../scripts/script.ts';
import { AppError } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type { Language } from '../shared/text.ts';
import type { KeyUse } from './keys/key-store.ts';
import type { RunEvent, RunRecord } from './run-record.ts';
import { isOpen, type SeriesEnd } from './run-record.ts';
import type { RunStore, TokenOwner } from './run-store.ts';

/** Delay after the end of a run, so that work which follows it handles several ends at once. */
const afterwardsMs = 1000;

interface RunEndsOptions {
  events: Feed<RunEvent>;
  seriesEnds: Feed<SeriesEnd>;
  store: Pick<RunStore, 'findBrief' | 'lastAttempt'>;
}

type Wakers = Map<string, Set<() => void>>;

/**
 * Lets many callers wait for the ends of runs. They share one listener, so the end of a run does no work for callers
 * that wait for other runs.
 */
export class RunEnds {
  /** Published a moment after runs have ended, once for all of them, for work that no caller waits for. */
  readonly afterwards = new Feed<void>();
  readonly #store: RunEndsOptions['store'];
  readonly #waiting: Wakers = new Map();
  /** By the first attempt. */
  readonly #waitingForSeries: Wakers = new Map();
  #pause: NodeJS.Timeout | undefined;

  constructor({ events, seriesEnds, store }: RunEndsOptions) {
    this.#store = store;
    seriesEnds.subscribe(({ run }) => {
      for (const wake of this.#waitingForSeries.get(run.firstRunId ?? run.runId) ?? []) wake();
    });
    events.subscribe((event) => {
      if (event.type !== 'ended') return;
      for (const wake of this.#waiting.get(event.run.runId) ?? []) wake();
      this.#pause ??= setTimeout(() => {
        this.#pause = undefined;
        this.afterwards.publish();
      }, afterwardsMs).unref();
    });
  }

  /** Number of waiting callers. */
  get waiting(): number {
    const all = [...this.#waiting.values(), ...this.#waitingForSeries.values()];
    return all.reduce((sum, { size }) => sum + size, 0);
  }

  /** Resolves when the run has ended or was removed, or when the signal is aborted. */
  wait(runId: string, signal: AbortSignal): Promise<void> {
    return waitIn(this.#waiting, runId, signal, () => {
      const run = this.#store.findBrief(runId);
      return run === null || run.endedAt !== null;
    });
  }

  /** Resolves when the series that began with this run has ended or was removed, or when the signal is aborted. */
  waitForSeries(firstRunId: string, signal: AbortSignal): Promise<void> {
    return waitIn(this.#waitingForSeries, firstRunId, signal, () => {
      const last = this.#store.lastAttempt(firstRunId);
      return last === null || !isOpen(last);
    });
  }
}

function waitIn(all: Wakers, id: string, signal: AbortSignal, isOver: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const waiting = all.get(id) ?? new Set();
    const wake = () => {
      signal.removeEventListener('abort', wake);
      waiting.delete(wake);
      if (waiting.size === 0 && all.get(id) === waiting) all.delete(id);
      resolve();
    };
    all.set(id, waiting.add(wake));
    signal.addEventListener('abort', wake, { once: true });
    // Check after registering: an end between the check and the registration would be missed.
    if (signal.aborted || isOver()) wake();
  });
}

/** Reason for which the signal of a run is aborted. */
export class StopRequest extends Error {
  readonly stopCause: StopCause;

  constructor(stopCause: StopCause) {
    super(`the run is to be stopped: ${stopCause}`);
    this.name = 'StopRequest';
    this.stopCause = stopCause;
  }
}

/** The runs that have no end on record. Stopping a run also stops the runs that it waits for. */
export class LiveRuns {
  readonly #runs = new Map<string, Run>();
  /** The runs that a run waits for, by its id. A search through all runs took seconds when thousands were queued. */
  readonly #children = new Map<string, Set<Run>>();
  /** Runs that are being stopped, by a request or by their time limit. They may not start runs to wait for. */
  readonly #closing = new Set<string>();
  #onEmpty: (() => void)[] = [];
  /** Publishes a run when the runs that it waits for are stopped. */
  readonly childrenStopped = new Feed<string>();

  add(run: Run): void {
    const { runId, parentRunId, sync } = run.record;
    this.#runs.set(runId, run);
    if (!sync || parentRunId === null) return;
    const siblings = this.#children.get(parentRunId) ?? new Set();
    this.#children.set(parentRunId, siblings.add(run));
  }

  get(runId: string): Run | undefined {
    return this.#runs.get(runId);
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  some(fits: (run: Run) => boolean): boolean {
    return [...this.#runs.values()].some(fits);
  }

  remove(runId: string): void {
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    const parent = run?.record.parentRunId ?? '';
    const siblings = this.#children.get(parent);
    if (run !== undefined && siblings?.delete(run) && siblings.size === 0) this.#children.delete(parent);
    this.#closing.delete(runId);
    if (this.#runs.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Returns whether the run was alive. */
  stop(runId: string, cause: StopCause): boolean {
    const run = this.#runs.get(runId);
    if (run === undefined) return false;
    // The parent first: it must not treat the end of a child as an answer and continue.
    run.stopping.abort(new StopRequest(cause));
    this.stopChildren(runId, cause);
    return true;
  }

  /** Stops the runs that this run waits for, because this run is being stopped. */
  stopChildren(runId: string, cause: StopCause): void {
    this.childrenStopped.publish(runId);
    if (this.#runs.has(runId)) this.#closing.add(runId);
    for (const { record, stopping } of [...(this.#children.get(runId) ?? [])]) {
      if (!stopping.signal.aborted) this.stop(record.runId, cause);
    }
  }

  isClosing(runId: string): boolean {
    return this.#closing.has(runId);
  }

  stopAll(cause: StopCause, which: { sparing: 'waited-for' | 'none' }): void {
    for (const { record } of [...this.#runs.values()]) {
      if (which.sparing === 'none' || !record.sync) this.stop(record.runId, cause);
    }
  }

  /** Resolves when the last run has its end on record. */
  whenEmpty(): Promise<void> {
    if (this.#runs.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }
}

/** The paths of the files of a run. */
export interface RunFolder {
  readonly path: string;
  readonly parameterFile: string;
  readonly resultFile: string;
  readonly stdoutLog: string;
  readonly stderrLog: string;
  /** Notes that Hob writes about the run. */
  readonly notesLog: string;
}

/**
 * - `new`: not on record. A synchronous run that starts at once is recorded with its start.
 * - `queued`: on record.
 * - `starting`: given to an executor. The event `run.started` is not published yet.
 * - `running`: the event `run.started` is published.
 * - `ended`: the end is on record.
 */
type RunPhase = 'new' | 'queued' | 'starting' | 'running' | 'ended';

/** The parts of a new run that are stored with its record and never read back with it. */
interface Acceptance {
  readonly tokenHash: string;
  /** The idempotency key with which its caller can ask for it again. */
  readonly key: KeyUse | undefined;
  /** The attempt before this one. */
  readonly previousRunId: string | null;
}

interface RunOptions {
  readonly runsFolder: string;
  readonly limits: { readonly timeoutMs: number | null };
  readonly log: Logger;
  readonly record: RunRecord;
  /** Null if the script of a recovered run was removed. */
  readonly script: Script | null;
  readonly language: Language;
  readonly isKeyed: boolean;
  /** Null for a run that an earlier service recorded. */
  readonly acceptance: Acceptance | null;
}

/** A run from its acceptance to its end. The ledger changes its phase. */
export class Run {
  /** The run as it was accepted, or as an earlier service left it. */
  readonly record: RunRecord;
  readonly acceptance: Acceptance | null;
  /** The folder of its script; null for a recovered run, whose script may have been another version. */
  readonly scriptFolder: string | null;
  readonly folder: RunFolder;
  readonly timeoutMs: number | null;
  /** The language of the messages that Hob writes for this run. */
  readonly language: Language;
  /** Whether the record must survive a power failure: for example because the caller does not wait, or can ask again with its key. */
  readonly isDurable: boolean;
  readonly log: Logger;
  /** Aborted with a `StopRequest` or, while the run waits for a slot, with the refusal for its caller. */
  readonly stopping = new AbortController();
  phase: RunPhase;
  /** Whether its script has reported progress. */
  hasReported = false;

  constructor({ record, script, language, isKeyed, acceptance, runsFolder, limits, log }: RunOptions) {
    this.record = record;
    this.acceptance = acceptance;
    this.scriptFolder = acceptance === null ? null : (script?.folder ?? null);
    this.folder = runFolderAt(runsFolder, record.runId);
    this.timeoutMs = (script?.runtime.timeoutMs ?? limits.timeoutMs) || null;
    this.language = language;
    // A further attempt belongs to a series that survives a power failure.
    this.isDurable = isKeyed || !record.sync || record.attempt > 1;
    this.log = log.child({ run: record.runId, script: record.scriptName });
    this.phase = acceptance === null ? 'queued' : 'new';
  }
}

export function runFolderAt(runsFolder: string, runId: string): RunFolder {
  const path = join(runsFolder, runId);
  return {
    path,
    parameterFile: join(path, parameterFileName),
    resultFile: join(path, 'result.json'),
    stdoutLog: join(path, 'stdout.log'),
    stderrLog: join(path, 'stderr.log'),
    notesLog: join(path, 'hob.log'),
  };
}

/** Returns the cause of the stop. Once a run is admitted, only a request to stop it aborts its signal. */
export function stopCauseOf(signal: AbortSignal): StopCause {
  return signal.reason instanceof StopRequest ? signal.reason.stopCause : 'cancelled';
}

/** The maximum depth of a chain of links. A deeper link is refused. */
export const maxDepth = 8;

const tokenBytes = 24;

const tokenPattern = /^[A-Za-z0-9_-]{32}$/;

/** The run that the token of a request identifies; null if the caller is not a run. */
export type Caller = TokenOwner | null;

/** Random bytes for several tokens: a system call for each token takes longer than all the other work. */
const random = Buffer.alloc(64 * tokenBytes);

let used = random.length;

export function newToken(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const bytes = random.subarray(used, used + tokenBytes);
  used += tokenBytes;
  const token = bytes.toString('base64url');
  // Keep no copy of a token that is in use.
  bytes.fill(0);
  return token;
}

/** Tokens are stored as hashes, so that a reader of the database cannot impersonate a run. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Returns the run that owns a token from the address, even after that run has ended: ending must not shorten its chain. */
export function identifyCaller(token: string, store: Pick<RunStore, 'findByToken'>): TokenOwner {
  const owner = tokenPattern.test(token) ? store.findByToken(hashToken(token)) : null;
  if (owner !== null) return owner;
  throw new AppError('run-token-unknown', {
    en: 'The run token in this address belongs to no known run.',
    zh: '地址中的运行令牌无效。',
  });
}

/** Whether a token from the address belongs to a run that has not ended. Only such a token authenticates the caller. */
export function isLiveToken(token: string, store: Pick<RunStore, 'findByToken' | 'findBrief'>): boolean {
  const owner = tokenPattern.test(token) ? store.findByToken(hashToken(token)) : null;
  return owner !== null && store.findBrief(owner.runId)?.endedAt === null;
}

/** The depth of a run that `caller` starts with a link. */
export function depthOfLink(caller: Caller): number {
  const depth = (caller?.depth ?? 0) + 1;
  if (depth <= maxDepth) return depth;
  throw new AppError('chain-too-deep', {
    en: `The chain of linked calls is too deep (over ${maxDepth} levels) and was blocked.`,
    zh: `联动调用链过深（超过${maxDepth}层），已被阻止`,
  });
}

/** A script started with `execute` from inside a run has the depth of that run. */
export function depthOfExecute(caller: Caller): number {
  return caller?.depth ?? 0;
}
