import { ringFileOf } from '../../execution/ring-state.ts';
import type { Feed } from '../../shared/feed.ts';
import { runFolderAt } from '../run.ts';
import type { BriefRun, KeptOutput, RunEvent } from '../run-record.ts';
import type { RunStore } from '../run-store.ts';
import {
  endedLayout,
  type LogLayout,
  liveLayout,
  type Part,
  partAt,
  readLogPart,
  readRingState,
  sizeOfLog,
  wasIntact,
} from './log-layout.ts';

/**
 * Not every platform reports writes to a file, so the file is polled: often while bytes arrive, less often while none
 * arrive.
 */
const shortestPauseMs = 20;

const longestPauseMs = 200;

/** A user who types waits to see each letter. */
const typingPauseMs = 4;

const slowdown = 1.5;

const ringFingerprintBytes = 64;

/** Polls the log of a stream for all its readers, as long as one of them waits. */
export class LogWatch {
  readonly #log: string;
  readonly #waiting = new Set<() => void>();
  #hasBegun = false;
  #isPolling = false;
  #endPause = (): void => {};
  #isHasty = false;
  #lastFingerprint = '';
  #version = 0;

  constructor(log: string) {
    this.#log = log;
  }

  /** Increases with every change. Take it before reading the log, so that no change in between is missed. */
  get version(): number {
    return this.#version;
  }

  /** Resolves when something has changed since `since`, at the latest when the signal is aborted. */
  changed(since: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || since !== this.#version) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (this.#hasBegun && !this.#isPolling) void this.#poll();
    });
  }

  /**
   * Starts polling when the run starts. Before that there is no log, and polling for hundreds of queued runs would be
   * wasted.
   */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.wake();
  }

  /** Polls soon, because a write is expected. */
  hasten(): void {
    this.#isHasty = true;
    this.#endPause();
  }

  /** Reports a change that the log does not show. */
  wake(): void {
    this.#version++;
    for (const done of [...this.#waiting]) done();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    for (
      let pauseMs = shortestPauseMs;
      this.#waiting.size > 0;
      pauseMs = Math.min(pauseMs * slowdown, longestPauseMs)
    ) {
      const fingerprint = await this.#fingerprint();
      if (fingerprint !== this.#lastFingerprint) {
        this.#lastFingerprint = fingerprint;
        this.wake();
        pauseMs = shortestPauseMs;
      }
      if (this.#isHasty) pauseMs = typingPauseMs;
      this.#isHasty = false;
      // Pause even if no reader waits at this moment: a reader that was just woken returns soon, and must not cause a
      // busy loop.
      await this.#pause(pauseMs);
    }
    this.#isPolling = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Does not use the modification time: two writes may have the same. */
  async #fingerprint(): Promise<string> {
    const sizeBytes = await sizeOfLog(this.#log);
    const ring = await readLogPart(ringFileOf(this.#log), 0, ringFingerprintBytes);
    return `${sizeBytes} ${ring.toString('latin1')}`;
  }
}

export type StreamName = 'stdout' | 'stderr';

/** A part of a stream, or a number of missing bytes. Offsets refer to the whole stream. */
export type OutputPiece =
  | { readonly offset: number; readonly bytes: Uint8Array }
  | { readonly offset: number; readonly missing: number };

export interface OutputView extends LogLayout {
  /** Whether more output may follow. */
  readonly isLive: boolean;
}

interface ReadRequest {
  readonly runId: string;
  readonly stream: StreamName;
  readonly from: number;
  /** The end of the range, exclusive. For an executing run it may be beyond the current end. */
  readonly until: number;
}

interface RunOutputsOptions {
  store: Pick<RunStore, 'findBrief'>;
  events: Feed<RunEvent>;
  runsFolder: string;
}

/** A log with at least one reader. */
interface Followed {
  readonly runId: string;
  readonly log: string;
  readonly watch: LogWatch;
  readers: number;
  hasEnded: boolean;
}

/** Each reader holds a piece in memory. More readers get smaller pieces, so that the total stays limited. */
const allPiecesBytes = 16 * 1024 * 1024;
const largestPieceBytes = 256 * 1024;
const smallestPieceBytes = 64 * 1024;

/** The captured output of runs, during the run and after its end. */
export class RunOutputs {
  readonly #options: RunOutputsOptions;
  /** The logs that have readers. */
  readonly #followed = new Map<string, Followed>();
  #readers = 0;
  /** Ends the subscription to run events, which exists while there are readers. */
  #unsubscribe = (): void => {};

  constructor(options: RunOutputsOptions) {
    this.#options = options;
  }

  /** The parts of a stream that are available now. */
  async look(record: BriefRun, stream: StreamName): Promise<OutputView> {
    const log = this.#logOf(record.runId, stream);
    if (record.endedAt !== null) return { ...(await layoutOfEnded(record, stream, log)), isLive: false };
    return { ...(await layoutOfLive(log)), isLive: true };
  }

  /** How many bytes a stream has, and whether more may follow. Reads no file of an ended run. */
  async extent(record: BriefRun, stream: StreamName): Promise<Pick<OutputView, 'endBytes' | 'isLive'>> {
    if (record.endedAt !== null) return { endBytes: bytesOf(record, stream) ?? 0, isLive: false };
    const { endBytes } = await layoutOfLive(this.#logOf(record.runId, stream));
    return { endBytes, isLive: true };
  }

  /** Makes the readers of a run receive its next output sooner than usual. */
  hasten(runId: string): void {
    for (const entry of this.#followed.values()) if (entry.runId === runId) entry.watch.hasten();
  }

  /** Whether a stream has reached this offset. True if that is unknown. */
  async reaches(record: BriefRun, stream: StreamName, offset: number): Promise<boolean> {
    if (record.endedAt !== null) {
      const bytes = bytesOf(record, stream);
      // The size for a lost run was determined later. A reader may have received more of it before.
      return bytes === null || record.endCause === 'lost' || offset <= bytes;
    }
    const log = this.#logOf(record.runId, stream);
    const sizeBytes = await sizeOfLog(log);
    const ring = await readRingState(log);
    return ring === 'unclear' || offset <= liveLayout(sizeBytes, ring).endBytes;
  }

  /**
   * Yields the bytes of a stream as they arrive, in order and each once. Ends when the run has ended and all bytes are
   * read, when the run is removed, or when the signal is aborted. Missing bytes are reported as missing. No file is
   * open between two pieces.
   */
  async *read({ runId, stream, from, until }: ReadRequest, signal: AbortSignal): AsyncGenerator<OutputPiece> {
    const followed = this.#follow(runId, this.#logOf(runId, stream));
    try {
      const record = this.#options.store.findBrief(runId);
      // The subscription to start and end already exists, so no change after this query is missed.
      if (record?.endedAt !== null) followed.hasEnded = true;
      if (record !== null && record.state !== 'queued') followed.watch.begin();
      const position = yield* this.#readLive(followed, { from, until }, signal);
      yield* this.#readEnded({ runId, stream, from: position, until }, signal);
    } finally {
      this.#readers--;
      followed.readers--;
      if (followed.readers === 0) this.#followed.delete(followed.log);
      if (this.#readers === 0) this.#unsubscribe();
    }
  }

  /** Reads while the run executes. Returns the offset it reached. */
  async *#readLive(
    followed: Followed,
    { from, until }: Pick<ReadRequest, 'from' | 'until'>,
    signal: AbortSignal,
  ): AsyncGenerator<OutputPiece, number> {
    const { log, watch } = followed;
    let at = from;
    let overtaken = 0;
    while (!followed.hasEnded && at < until && !signal.aborted) {
      const { version } = watch;
      const layout = await layoutOfLive(log);
      const part = partAt(layout, at, until, overtaken);
      const bytes = await this.#readPart(log, part);
      if (bytes.length > 0 && !wasIntact(part.offset, bytes.length, await readRingState(log))) {
        overtaken++;
        continue;
      }
      overtaken = 0;
      const isGone = part.offset === until && until <= layout.endBytes;
      if (bytes.length === 0 && !isGone) {
        await watch.changed(version, signal);
        continue;
      }
      // Reports a gap only when its end is certain, so that it is one gap and not many.
      if (part.offset > at) yield { offset: at, missing: part.offset - at };
      if (bytes.length > 0) yield { offset: part.offset, bytes };
      at = part.offset + bytes.length;
    }
    return at;
  }

  async *#readEnded(
    { runId, stream, from, until }: ReadRequest,
    signal: AbortSignal,
  ): AsyncGenerator<OutputPiece> {
    const record = signal.aborted ? null : this.#options.store.findBrief(runId);
    if (record === null) return;
    const log = this.#logOf(runId, stream);
    const layout = await layoutOfEnded(record, stream, log);
    const end = Math.min(until, layout.endBytes);
    for (let at = from; at < end && !signal.aborted; ) {
      const part = partAt(layout, at, end);
      const bytes = await this.#readPart(log, part);
      // The log may be missing because the run was removed.
      if (bytes.length === 0 && this.#options.store.findBrief(runId) === null) return;
      const offset = bytes.length === 0 ? end : part.offset;
      if (offset > at) yield { offset: at, missing: offset - at };
      if (bytes.length > 0) yield { offset, bytes };
      at = offset + bytes.length;
    }
  }

  #readPart(log: string, { position, length }: Part): Promise<Buffer> {
    const fairBytes = Math.max(smallestPieceBytes, Math.floor(allPiecesBytes / this.#readers));
    return readLogPart(log, position, Math.min(length, fairBytes, largestPieceBytes));
  }

  #logOf(runId: string, stream: StreamName): string {
    const folder = runFolderAt(this.#options.runsFolder, runId);
    return stream === 'stdout' ? folder.stdoutLog : folder.stderrLog;
  }

  #follow(runId: string, log: string): Followed {
    const fresh = { runId, log, watch: new LogWatch(log), readers: 0, hasEnded: false };
    const followed = this.#followed.get(log) ?? fresh;
    this.#followed.set(log, followed);
    if (this.#readers === 0) this.#unsubscribe = this.#options.events.subscribe((event) => this.#note(event));
    this.#readers++;
    followed.readers++;
    return followed;
  }

  #note({ type, run }: RunEvent): void {
    for (const entry of this.#followed.values()) {
      if (entry.runId !== run.runId) continue;
      entry.hasEnded ||= type === 'ended';
      if (type === 'started') entry.watch.begin();
      entry.watch.wake();
    }
  }
}

async function layoutOfLive(log: string): Promise<LogLayout> {
  const sizeBytes = await sizeOfLog(log);
  return liveLayout(sizeBytes, await readRingState(log));
}

async function layoutOfEnded(record: BriefRun, stream: StreamName, log: string): Promise<LogLayout> {
  const bytes = bytesOf(record, stream) ?? 0;
  const kept = stream === 'stdout' ? record.stdoutKept : record.stderrKept;
  const sizeBytes = await sizeOfLog(log);
  return endedLayout(bytes, kept ?? likelyKept(bytes, sizeBytes), sizeBytes);
}

function bytesOf(record: BriefRun, stream: StreamName): number | null {
  return stream === 'stdout' ? record.stdoutBytes : record.stderrBytes;
}

/**
 * For runs of releases that did not record this: an incomplete log begins with the start of the output, at least in its
 * first half.
 */
function likelyKept(bytes: number, sizeBytes: number): KeptOutput {
  return { headBytes: bytes <= sizeBytes ? bytes : Math.ceil(sizeBytes / 2), tailBytes: 0 };
}
