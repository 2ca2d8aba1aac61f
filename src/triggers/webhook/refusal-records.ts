import type { FiringReason } from '../../contract/firings.ts';
import type { FiringOutcome } from '../../contract/values.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { firingAt, type TriggerStore } from '../trigger-store.ts';

/** `no-webhook`: the request does not name a webhook that is on. */
type RefusalReason = FiringReason | 'no-webhook';

interface Refusal {
  readonly outcome: FiringOutcome;
  readonly reason: RefusalReason;
  readonly detail: string | null;
  readonly runId: string | null;
}

interface RefusalRecordsOptions {
  store: Pick<TriggerStore, 'record'>;
  clock: Clock;
  log: Logger;
}

/** The records of one webhook. */
interface Tally {
  /** How many records it may still write one by one. */
  left: number;
  refilledMs: number;
  /** Deliveries without a record of their own. */
  readonly counted: Map<RefusalReason, number>;
  timer: NodeJS.Timeout | null;
}

/** Records that one webhook writes at once, and the time after which it may write one more. */
const mostAtOnce = 60;
const refillMs = 60_000;
/** Further refusals are counted, and recorded together after this time. */
const summaryMs = 60_000;

/** Records and logs refused deliveries, so that a flood fills neither the history nor the log. */
export class RefusalRecords {
  readonly #options: RefusalRecordsOptions;
  readonly #tallies = new Map<string, Tally>();

  constructor(options: RefusalRecordsOptions) {
    this.#options = options;
  }

  /** `triggerId` is null if the request belongs to no webhook. Such a request is only logged. */
  note(triggerId: string | null, refusal: Refusal): void {
    const tally = this.#tally(triggerId ?? '');
    if (tally.left > 0) {
      tally.left -= 1;
      this.#write(triggerId, refusal);
      return;
    }
    tally.counted.set(refusal.reason, (tally.counted.get(refusal.reason) ?? 0) + 1);
    tally.timer ??= setTimeout(() => this.#summarize(triggerId, tally), summaryMs).unref();
  }

  /** Forgets the webhooks that are gone. */
  keepOnly(triggerIds: ReadonlySet<string>): void {
    for (const [id, tally] of this.#tallies) {
      if (id === '' || triggerIds.has(id)) continue;
      if (tally.timer !== null) clearTimeout(tally.timer);
      this.#tallies.delete(id);
    }
  }

  /** Records the counts of the last minute. */
  close(): void {
    for (const [id, tally] of this.#tallies) this.#summarize(id === '' ? null : id, tally);
  }

  #tally(id: string): Tally {
    const nowMs = this.#options.clock.now().getTime();
    const known = this.#tallies.get(id);
    if (known === undefined) {
      const fresh = { left: mostAtOnce, refilledMs: nowMs, counted: new Map(), timer: null };
      this.#tallies.set(id, fresh);
      return fresh;
    }
    // A clock that was set back must not stop the records.
    const elapsedMs = Math.max(0, nowMs - known.refilledMs);
    const added = Math.floor(elapsedMs / refillMs);
    known.left = Math.min(mostAtOnce, known.left + added);
    known.refilledMs = nowMs - (elapsedMs % refillMs);
    return known;
  }

  #summarize(triggerId: string | null, tally: Tally): void {
    if (tally.timer !== null) clearTimeout(tally.timer);
    tally.timer = null;
    const counts = [...tally.counted].sort(([, a], [, b]) => b - a);
    tally.counted.clear();
    const [first] = counts;
    if (first === undefined) return;
    const [reason] = first;
    const detail = counts.map(([name, count]) => `+${count} ${name}`).join(', ');
    this.#write(triggerId, { outcome: 'refused', reason, detail, runId: null });
  }

  #write(triggerId: string | null, { outcome, reason, detail, runId }: Refusal): void {
    const { store, clock, log } = this.#options;
    log.info({ trigger: triggerId, reason, detail, runId }, 'did not start a run for a request to a webhook');
    if (triggerId === null || reason === 'no-webhook') return;
    try {
      store.record(firingAt(clock.now(), { triggerId, outcome, reason, detail, runId }));
    } catch (error) {
      log.warn({ err: error, trigger: triggerId }, 'cannot record a refused delivery');
    }
  }
}
