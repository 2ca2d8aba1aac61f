import { ringFileOf } from '../../execution/ring-state.ts';
import { readLogPart, sizeOfLog } from './read-log.ts';

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
