import type { EventLog } from '../../runs/events/event-log.ts';
import type { LoggedEvent } from '../../runs/events/event-store.ts';
import type { Ledger } from '../../runs/ledger.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import { eventData } from './event-data.ts';

/** What there is to tell of a run beside its output. */
export interface RunNews {
  readonly type: 'run.queued' | 'run.started' | 'run.progress' | 'run.ended';
  readonly data: string;
}

interface RunWatchOptions {
  eventLog: Pick<EventLog, 'told'>;
  ledger: Pick<Ledger, 'progressOf'>;
}

/**
 * A run as one client sees it, from its state at this moment on. Of each kind only the newest is kept until the client takes it,
 * so that one who takes nothing costs nothing.
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
    // It is on record as running before its start is told.
    const isStartKnown = run.state !== 'queued';
    this.#unsubscribe = eventLog.told.subscribe((event) => {
      if (event.runId === run.runId && !(isStartKnown && event.type === 'run.started')) this.#take(event);
    });
  }

  /** The end, once there is one: it is told when the output has been. */
  get ended(): RunNews | null {
    return this.#ended;
  }

  /** What is to be told now, in order. */
  takeNews(): RunNews[] {
    const news = [this.#state, this.#progress].filter((each) => each !== null);
    this.#state = null;
    this.#progress = null;
    return news;
  }

  /** Resolves when there is something more, at the latest when the signal is aborted. */
  async changed(signal: AbortSignal): Promise<void> {
    // Something may have come while the client was being told of what came before.
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
