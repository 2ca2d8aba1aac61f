import { followEvents } from '../../api/follow-events.ts';
import type { Progress } from '../../api/run-events.ts';
import type { EventData, ServiceEvent } from '../../api/wire.ts';
import { OutputLines, type OutputSnapshot } from './output-lines.ts';

/** Minimum time between updates. More frequent updates are not readable. */
const leastMs = 50;

/** Time for other work on the page, as a multiple of the time that the last update took. */
const restAfterShowing = 2;

/** Maximum time between updates. A longer update means that the machine was busy with something else. */
const mostMs = 1000;

export interface StreamSnapshot extends OutputSnapshot {
  readonly progress: Progress | null;
  /** Whether some bytes are not UTF-8 and were replaced. */
  readonly isGuessed: boolean;
  /** Whether the run has ended and all output is loaded. */
  readonly isComplete: boolean;
}

/** Maximum time before yielding to the browser, because the existing output of a run arrives all at once. */
const longestTurnMs = 12;

/** Follows the output of a run. Subscribers are notified at most twenty times a second. */
export class RunStream {
  readonly #output = new OutputLines();
  readonly #listeners = new Set<() => void>();
  #progress: Progress | null = null;
  #isGuessed = false;
  #isComplete = false;
  #isDue = false;
  #lastAt = 0;
  #showingMs = 0;
  #turnAt = 0;
  #snapshot: StreamSnapshot;

  constructor() {
    this.#snapshot = this.#take();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly current = (): StreamSnapshot => this.#snapshot;

  /** Follows the run until it ends or the signal aborts. Calls `onChange` when the record of the run has changed. */
  async follow(runId: string, onChange: () => void, signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const stop = () => ending.abort();
    signal.addEventListener('abort', stop);
    const onEvent = async (event: ServiceEvent) => {
      this.#handle(event);
      if (event.type === 'run.started' || event.type === 'run.ended') onChange();
      if (event.type === 'run.ended') stop();
      else await this.#yieldToBrowser();
    };
    const listener = { onEvent, onCutOff: onChange };
    await followEvents(`/api/runs/${encodeURIComponent(runId)}/events`, listener, ending.signal);
    signal.removeEventListener('abort', stop);
  }

  #handle({ type, data }: ServiceEvent): void {
    if (type === 'run.output') this.#handleOutput(data);
    else if (type === 'run.progress') this.#progress = data;
    else if (type === 'run.ended') this.#isComplete = true;
    else return;
    if (this.#isDue) return;
    this.#isDue = true;
    const sinceMs = performance.now() - this.#lastAt;
    const pauseMs = showingPause({ sinceMs, showingMs: this.#showingMs });
    if (pauseMs === 0) requestAnimationFrame(this.#publish);
    else setTimeout(() => requestAnimationFrame(this.#publish), pauseMs);
  }

  readonly #publish = (): void => {
    this.#isDue = false;
    this.#lastAt = performance.now();
    this.#snapshot = this.#take();
    for (const listener of this.#listeners) listener();
    // This timer runs after the frame was rendered.
    setTimeout(() => {
      this.#showingMs = performance.now() - this.#lastAt;
    });
  };

  async #yieldToBrowser(): Promise<void> {
    if (performance.now() - this.#turnAt < longestTurnMs) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#turnAt = performance.now();
  }

  #handleOutput({ stream, text, base64, missing }: EventData<'run.output'>): void {
    if (missing === undefined) this.#output.take(stream, text);
    else this.#output.skip(stream, missing);
    if (base64 !== undefined) this.#isGuessed = true;
  }

  #take(): StreamSnapshot {
    return {
      ...this.#output.snapshot(),
      progress: this.#progress,
      isGuessed: this.#isGuessed,
      isComplete: this.#isComplete,
    };
  }
}

/** The pause before the next update, if the last one was `sinceMs` ago and took `showingMs`. */
export function showingPause({ sinceMs, showingMs }: { sinceMs: number; showingMs: number }): number {
  const wantedMs = Math.max(leastMs, showingMs * (1 + restAfterShowing));
  return Math.max(0, Math.min(wantedMs, mostMs) - sinceMs);
}
