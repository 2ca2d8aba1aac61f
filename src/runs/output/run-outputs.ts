import type { Feed } from '../../shared/feed.ts';
import type { RunEvent } from '../ledger.ts';
import { runFolderAt } from '../run-folder.ts';
import type { BriefRun, KeptOutput } from '../run-record.ts';
import type { RunStore } from '../run-store.ts';
import { endedLayout, type LogLayout, liveLayout, type Part, partAt, wasIntact } from './log-layout.ts';
import { LogWatch } from './log-watch.ts';
import { readLogPart, readRingState, sizeOfLog } from './read-log.ts';

export type StreamName = 'stdout' | 'stderr';

/** A part of a stream, or how much of it is missing. Offsets are those of the whole stream. */
export type OutputPiece =
  | { readonly offset: number; readonly bytes: Uint8Array }
  | { readonly offset: number; readonly missing: number };

export interface OutputView extends LogLayout {
  /** Whether there may be more of it later. */
  readonly isLive: boolean;
}

interface ReadRequest {
  readonly runId: string;
  readonly stream: StreamName;
  readonly from: number;
  /** Nothing from here on. For a run that lasts this may be more than there is yet. */
  readonly until: number;
}

interface RunOutputsOptions {
  store: Pick<RunStore, 'findBrief'>;
  events: Feed<RunEvent>;
  runsFolder: string;
}

/** A log that somebody reads. */
interface Followed {
  readonly runId: string;
  readonly log: string;
  readonly watch: LogWatch;
  readers: number;
  hasEnded: boolean;
}

/** Each reader has a piece in its hands: the more there are, the smaller their pieces, so that all together stay small. */
const allPiecesBytes = 16 * 1024 * 1024;
const largestPieceBytes = 256 * 1024;
const smallestPieceBytes = 64 * 1024;

/** The captured output of runs, for whoever asks for it: while they last, and afterwards. */
export class RunOutputs {
  readonly #options: RunOutputsOptions;
  /** Of the logs that somebody follows. */
  readonly #followed = new Map<string, Followed>();
  #readers = 0;

  constructor(options: RunOutputsOptions) {
    this.#options = options;
    options.events.subscribe(({ type, run }) => {
      for (const entry of this.#followed.values()) {
        if (entry.runId !== run.runId) continue;
        entry.hasEnded ||= type === 'ended';
        if (type === 'started') entry.watch.begin();
        entry.watch.wake();
      }
    });
  }

  /** What there is of a stream at this moment. */
  async look(record: BriefRun, stream: StreamName): Promise<OutputView> {
    const log = this.#logOf(record.runId, stream);
    if (record.endedAt !== null) return { ...(await layoutOfEnded(record, stream, log)), isLive: false };
    return { ...(await layoutOfLive(log)), isLive: true };
  }

  /** Has whoever follows a run told of what it writes sooner than usual, for a while. */
  hasten(runId: string): void {
    for (const entry of this.#followed.values()) if (entry.runId === runId) entry.watch.hasten();
  }

  /** Whether there are so many bytes of a stream. Where that cannot be told, there may have been. */
  async reaches(record: BriefRun, stream: StreamName, offset: number): Promise<boolean> {
    if (record.endedAt !== null) {
      const bytes = bytesOf(record, stream);
      // What a lost run has written was looked up afterwards; somebody may have seen more of it.
      return bytes === null || record.endCause === 'lost' || offset <= bytes;
    }
    const log = this.#logOf(record.runId, stream);
    const sizeBytes = await sizeOfLog(log);
    const ring = await readRingState(log);
    return ring === 'unclear' || offset <= liveLayout(sizeBytes, ring).endBytes;
  }

  /**
   * The bytes of a stream, in order and each once, as they come; it ends when the run has ended and all is told, when there is
   * no such run any more, or with the signal. What is not there is said to be missing. Between two pieces nothing is held.
   */
  async *read({ runId, stream, from, until }: ReadRequest, signal: AbortSignal): AsyncGenerator<OutputPiece> {
    const followed = this.#follow(runId, this.#logOf(runId, stream));
    try {
      const record = this.#options.store.findBrief(runId);
      // From here on its start and its end are told: what is asked here and what is told later cannot miss each other.
      if (record?.endedAt !== null) followed.hasEnded = true;
      if (record !== null && record.state !== 'queued') followed.watch.begin();
      const told = yield* this.#readLive(followed, { from, until }, signal);
      yield* this.#readEnded({ runId, stream, from: told, until }, signal);
    } finally {
      this.#readers--;
      followed.readers--;
      if (followed.readers === 0) this.#followed.delete(followed.log);
    }
  }

  /** Reads while the run lasts. Returns how far it got. */
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
      // Told only now that it is sure where it ends, so that it is one gap and not many.
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
      // The log may be gone because the run is.
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
    this.#readers++;
    followed.readers++;
    return followed;
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

/** Of a run that ended before this was written down: a log that has not all of it begins with it, by half at least. */
function likelyKept(bytes: number, sizeBytes: number): KeptOutput {
  return { headBytes: bytes <= sizeBytes ? bytes : Math.ceil(sizeBytes / 2), tailBytes: 0 };
}
