import type { EventLog } from '../../runs/events/event-log.ts';
import type { LoggedEvent } from '../../runs/events/event-store.ts';
import type { Ledger } from '../../runs/ledger.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import { eventData } from './event-data.ts';

/** An event of a run other than output. */
export interface RunNews {
  readonly type: 'run.queued' | 'run.started' | 'run.progress' | 'run.ended';
  readonly data: string;
}

interface RunWatchOptions {
  eventLog: Pick<EventLog, 'published'>;
  ledger: Pick<Ledger, 'progressOf'>;
}

/**
 * The events of a run for one client, starting with the current state. Only the newest event of each kind is kept until the
 * client takes it, so a client that does not read uses no additional memory.
 */
export class RunWatch {
  readonly #unsubscribe: () => void;
  #state: RunNews | null = null;
  #progress: RunNews | null = null;
  #ended: RunNews | null = null;
  #wake: () => void = () => {};

  constructor(run: BriefRun, { eventLog, ledger }: RunWatchOptions) {
    const data = eventData.run(run);
    const progress = ledger.progressOf(run.runId);
    if (run.endedAt !== null) this.#ended = { type: 'run.ended', data };
    else this.#state = { type: run.state === 'queued' ? 'run.queued' : 'run.started', data };
    if (progress !== null) this.#progress = { type: 'run.progress', data: progress.data };
    // The run is recorded as running before its start event is published. Do not send the start twice.
    const isStartKnown = run.state !== 'queued';
    this.#unsubscribe = eventLog.published.subscribe((event) => {
      if (event.runId === run.runId && !(isStartKnown && event.type === 'run.started')) this.#take(event);
    });
  }

  /** The end of the run, or null. It is sent after all output. */
  get ended(): RunNews | null {
    return this.#ended;
  }

  /** Takes the pending events, in the order to send them. */
  takeNews(): RunNews[] {
    const news = [this.#state, this.#progress].filter((each) => each !== null);
    this.#state = null;
    this.#progress = null;
    return news;
  }

  /** Resolves when an event is pending, or when the signal is aborted. */
  async changed(signal: AbortSignal): Promise<void> {
    // An event may have arrived while the previous ones were being sent.
    const hasNews = this.#state !== null || this.#progress !== null || this.#ended !== null;
    if (hasNews || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        signal.removeEventListener('abort', this.#wake);
        resolve();
      };
      signal.addEventListener('abort', this.#wake, { once: true });
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  #take({ type, data }: LoggedEvent): void {
    switch (type) {
      case 'run.started':
        this.#state = { type, data };
        break;
      case 'run.progress':
        this.#progress = { type, data };
        break;
      case 'run.ended':
        this.#ended = { type, data };
        break;
      default:
        return;
    }
    this.#wake();
  }
}
