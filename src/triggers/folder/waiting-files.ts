import type { FoundFile } from './found-file.ts';
import type { OpenWriter } from './open-writers.ts';

/** Interval of the checks of a file that a process has open for writing. */
const heldLookMs = 500;

/** A file that has arrived and is not handed over yet. */
export interface WaitingFile {
  /** The file at the last look. */
  readonly file: FoundFile;
  /** The time of the arrival. */
  readonly arrivedAt: Date;
  /** When it may be complete, on the steady clock. */
  readonly dueMs: number;
  /** Null until it is complete. */
  readonly completeMs: number | null;
  /** The process that had it open for writing at the last look. */
  readonly writer: OpenWriter | null;
  /** Since when it is held for a writer. */
  readonly heldSinceMs: number | null;
}

/** Files that have arrived, and how long they have been unchanged. Times are those of a clock that never jumps. */
export class WaitingFiles {
  readonly #settleMs: number;
  readonly #files = new Map<string, WaitingFile>();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  get size(): number {
    return this.#files.size;
  }

  /** When the next file may be complete; infinite if none waits for that. */
  get nextDueMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { completeMs, dueMs } of this.#files.values())
      if (completeMs === null) next = Math.min(next, dueMs);
    return next;
  }

  get(path: string): WaitingFile | undefined {
    return this.#files.get(path);
  }

  paths(): string[] {
    return [...this.#files.keys()];
  }

  /** A look at a file. A file that has changed must stay unchanged for the whole time again. */
  observe(file: FoundFile, { nowMs, now }: { nowMs: number; now: Date }): void {
    const known = this.#files.get(file.path);
    if (known?.file.version === file.version) return;
    this.#files.set(file.path, {
      file,
      arrivedAt: known?.arrivedAt ?? now,
      dueMs: nowMs + this.#settleMs,
      completeMs: null,
      // Asking the same process again takes less time than a search.
      writer: known?.writer ?? null,
      heldSinceMs: known?.heldSinceMs ?? null,
    });
  }

  /** The files that have been unchanged for long enough, as far as is known. */
  due(nowMs: number): WaitingFile[] {
    return [...this.#files.values()].filter(({ completeMs, dueMs }) => completeMs === null && dueMs <= nowMs);
  }

  /** A process has the file open for writing, or another reason speaks against it. */
  hold(path: string, nowMs: number, writer: OpenWriter | null): void {
    const heldSinceMs = writer === null ? null : (this.#files.get(path)?.heldSinceMs ?? nowMs);
    this.#change(path, { dueMs: nowMs + heldLookMs, completeMs: null, writer, heldSinceMs });
  }

  complete(path: string, nowMs: number): void {
    this.#change(path, { completeMs: nowMs, writer: null, heldSinceMs: null });
  }

  /** A file that processes have had open for writing since before this time. */
  heldSince(beforeMs: number): WaitingFile | undefined {
    return [...this.#files.values()].find(
      ({ heldSinceMs }) => heldSinceMs !== null && heldSinceMs < beforeMs,
    );
  }

  /** The complete files, the earliest first. */
  ready(): (WaitingFile & { readonly completeMs: number })[] {
    return [...this.#files.values()]
      .flatMap((one) => (one.completeMs === null ? [] : [{ ...one, completeMs: one.completeMs }]))
      .sort((one, other) => one.completeMs - other.completeMs);
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  clear(): void {
    this.#files.clear();
  }

  #change(path: string, changes: Partial<WaitingFile>): void {
    const known = this.#files.get(path);
    if (known !== undefined) this.#files.set(path, { ...known, ...changes });
  }
}
