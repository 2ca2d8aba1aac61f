import type { FiringReason } from '../../contract/firings.ts';
import type { Clock } from '../../shared/clock.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { Logger } from '../../shared/log.ts';
import type { FiringResult, FiringRuns } from '../firing-runs.ts';
import type { TriggerEntry, WebhookTrigger } from '../trigger.ts';
import { firingAt, type TriggerStore } from '../trigger-store.ts';
import { eventOf } from './event-of.ts';
import { valuesOf } from './header-list.ts';
import type { HookAnswer, HookHead, OpenDelivery } from './hook-server.ts';
import { RateLimit } from './rate-limit.ts';
import { RefusalRecords } from './refusal-records.ts';
import {
  checkHeaders,
  needsBody,
  type Refused,
  type Verification,
  type Verified,
  verify,
} from './signatures.ts';

/** The stored secrets, as deliveries need them. */
export interface HookSecrets {
  /** Null if there is none with this name. */
  read(name: string): string | null;
  noteUse(name: string): void;
}

interface DeliveriesOptions {
  runs: Pick<FiringRuns, 'start' | 'find'>;
  store: Pick<TriggerStore, 'record' | 'find'>;
  secrets: HookSecrets;
  clock: Clock;
  log: Logger;
  /** How long the id of a delivery is known. */
  keepIdsMs: number;
  /** Monotonic time. */
  elapsedMs: () => number;
  /** A delivery that was accepted could not start a run. */
  onFailure: (trigger: WebhookTrigger) => void;
  /** The secret of a webhook is gone, or cannot be read any more. */
  onSecretLost: () => void;
}

/** A webhook that is on, but whose entry or script cannot be used. */
type BrokenHook = Pick<TriggerEntry, 'id' | 'problems'>;

interface WithoutSecret {
  readonly kind: 'without-secret';
  readonly detail: string;
}

type RefusalReason = Refused['reason'] | 'too-large' | 'browser';
type Started = Extract<FiringResult, { kind: 'started' }>;

const perMinute = { most: 60, spanMs: 60_000 };
const retryAfterS = 30;
const accepted = 202;
const statuses: Readonly<Record<RefusalReason, number>> = {
  'no-signature': 401,
  'wrong-signature': 401,
  'too-old': 401,
  malformed: 400,
  'too-large': 413,
  browser: 403,
};
/** Browsers send these headers with each request of a page that could start a run, and a page cannot omit them. */
const browserHeaders = ['origin', 'sec-fetch-site'];
const longestShown = 200;

/** Decides about requests to the listener. Only deliveries that their sender has signed start runs and count towards the limit. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #records: RefusalRecords;
  readonly #rates = new RateLimit(perMinute);
  #hooks: ReadonlyMap<string, WebhookTrigger> = new Map();
  #broken: ReadonlyMap<string, BrokenHook> = new Map();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    const { store, clock, log } = options;
    this.#records = new RefusalRecords({ store, clock, log });
  }

  /** The webhooks that are on. */
  update(hooks: ReadonlyMap<string, WebhookTrigger>, broken: readonly BrokenHook[]): void {
    this.#hooks = hooks;
    this.#broken = new Map(broken.map((hook) => [hook.id, hook]));
    const ids = new Set([...hooks.keys(), ...this.#broken.keys()]);
    this.#rates.keepOnly(ids);
    this.#records.keepOnly(ids);
  }

  close(): void {
    this.#records.close();
  }

  /** Bytes that are not HTTP belong to no webhook. */
  noteInvalid(detail: string, sender: string): void {
    this.#refuseUnknown(400, `${detail}, from ${sender}`);
  }

  open(head: HookHead): HookAnswer | OpenDelivery {
    const { method, target, headers, sender } = head;
    const [, id = '', query = ''] = /^\/hook\/([a-z0-9-]{1,64})(?:\?(.*))?$/s.exec(target) ?? [];
    const trigger = this.#hooks.get(id);
    // The console and the command translate the reason, but not the detail. It has facts only.
    const refuse = (reason: RefusalReason, fact?: string): HookAnswer => {
      const detail = fact === undefined ? sender : `${fact}, ${sender}`;
      this.#records.note(trigger?.id ?? null, { outcome: 'refused', reason, detail, runId: null });
      return { status: statuses[reason] };
    };
    // The same answer for every path, so that a page learns nothing.
    if (browserHeaders.some((name) => valuesOf(headers, name).length > 0)) return refuse('browser');
    if (id === '') return this.#refuseUnknown(404, `no path for a webhook, from ${sender}`);
    if (method !== 'POST')
      return this.#refuseUnknown(405, `${method.slice(0, 20)} /hook/${id}, from ${sender}`);
    if (trigger === undefined) return this.#withoutTrigger(id, sender);
    const unusable = checkHeaders(trigger.signature, headers);
    if (unusable !== null) return refuse(unusable.reason, unusable.header);
    if (!needsBody(trigger.signature)) {
      const early = this.#verify(trigger, head, Buffer.alloc(0));
      if (early.kind === 'without-secret') return this.#withoutSecret(trigger, early.detail);
      if (early.kind === 'refused') return refuse(early.reason, early.header);
    }
    return {
      refuse,
      accept: async (body) => {
        // The trigger may have been changed or switched off while the body arrived.
        const current = this.#hooks.get(id);
        if (current === undefined) return this.#withoutTrigger(id, sender);
        const verification = this.#verify(current, head, body);
        if (verification.kind === 'without-secret') return this.#withoutSecret(current, verification.detail);
        if (verification.kind === 'refused') return refuse(verification.reason, verification.header);
        return this.#take(current, verification, () => eventOf({ headers, query, body }));
      },
    };
  }

  /** Reads the secret each time, so that a new value is in force at once. */
  #verify(trigger: WebhookTrigger, { headers }: HookHead, body: Buffer): Verification | WithoutSecret {
    const { secrets, clock } = this.#options;
    try {
      const secret = secrets.read(trigger.secret);
      if (secret === null) return { kind: 'without-secret', detail: trigger.secret };
      return verify(trigger.signature, secret, { headers, body, receivedMs: clock.now().getTime() });
    } catch (error) {
      // Logged with the record, because each of many requests may find the same error.
      const code = error instanceof AppError ? error.code : (errnoOf(error) ?? String(error));
      return { kind: 'without-secret', detail: `${trigger.secret}: ${code}` };
    }
  }

  async #take(
    trigger: WebhookTrigger,
    { replayKey, deliveryId }: Verified,
    event: () => JsonObject,
  ): Promise<HookAnswer> {
    const { runs, secrets, log, elapsedMs, onFailure } = this.#options;
    const key = replayKey === null ? null : `webhook:${trigger.id}:${replayKey}`;
    try {
      secrets.noteUse(trigger.secret);
      // A replay must not use up the limit of the sender.
      const earlier = this.#runOf(trigger, key, deliveryId);
      if (earlier !== null) return this.#repeat(trigger, earlier, deliveryId);
      const waitMs = this.#rates.take(trigger.id, elapsedMs());
      if (waitMs > 0) {
        this.#refuse(trigger, 'too-many', deliveryId);
        return { status: 429, retryAfterS: Math.ceil(waitMs / 1000) };
      }
      const result = await runs.start({ trigger, key, params: { [trigger.into]: event() } });
      if (result.kind === 'started') return this.#started(trigger, result, deliveryId);
      const { reason, error, isLasting } = result;
      const gone = reason === 'repeated' ? this.#runOf(trigger, key, deliveryId) : null;
      if (gone !== null) return this.#repeat(trigger, gone, deliveryId);
      log.warn({ trigger: trigger.id, reason, err: error }, 'a delivery could not start a run');
      this.#refuse(trigger, reason, error.code);
      onFailure(trigger);
      return isLasting ? { status: 500 } : { status: 503, retryAfterS: error.retryAfterS ?? retryAfterS };
    } catch (error) {
      log.error({ err: error, trigger: trigger.id }, 'internal error: a delivery could not start a run');
      return { status: 500 };
    }
  }

  /** The run that an earlier delivery with this key or id has started. */
  #runOf(trigger: WebhookTrigger, key: string | null, deliveryId: string | null): string | null {
    const { runs, store, clock, keepIdsMs } = this.#options;
    const runId = key === null ? null : runs.find(trigger, key);
    if (runId !== null || deliveryId === null) return runId;
    const firing = store.find(trigger.id, deliveryId);
    const isKept = firing !== null && clock.now().getTime() - Date.parse(firing.recordedAt) < keepIdsMs;
    return isKept ? firing.runId : null;
  }

  #started(trigger: WebhookTrigger, { runId, isRepeat }: Started, deliveryId: string | null): HookAnswer {
    if (isRepeat) return this.#repeat(trigger, runId, deliveryId);
    const { store, clock, log } = this.#options;
    const fields = { triggerId: trigger.id, outcome: 'fired', detail: shown(deliveryId), runId } as const;
    const firing = firingAt(clock.now(), fields);
    try {
      // An older firing may have the same id: ids are known for a limited time.
      if (!store.record({ ...firing, key: deliveryId })) store.record(firing);
    } catch (error) {
      // The run has started, so the sender must not send the delivery again.
      log.warn({ err: error, trigger: trigger.id, runId }, 'cannot record a delivery');
    }
    return { status: accepted, runId };
  }

  #repeat(trigger: WebhookTrigger, runId: string, deliveryId: string | null): HookAnswer {
    this.#records.note(trigger.id, {
      outcome: 'skipped',
      reason: 'repeated',
      detail: shown(deliveryId),
      runId,
    });
    return { status: accepted, runId };
  }

  #refuse(trigger: WebhookTrigger, reason: FiringReason, detail: string | null): void {
    this.#records.note(trigger.id, { outcome: 'refused', reason, detail: shown(detail), runId: null });
  }

  #withoutSecret(trigger: WebhookTrigger, detail: string): HookAnswer {
    this.#records.note(trigger.id, {
      outcome: 'refused',
      reason: 'secret-missing',
      detail: shown(detail),
      runId: null,
    });
    this.#options.onSecretLost();
    return { status: 503, retryAfterS };
  }

  /** A broken entry has no scheme and no secret, so nothing is verified. The sender tries again, and its user sees the record. */
  #withoutTrigger(id: string, sender: string): HookAnswer {
    const broken = this.#broken.get(id);
    if (broken === undefined) return this.#refuseUnknown(404, `no webhook ${id} is on, from ${sender}`);
    const fields = broken.problems.flatMap(({ field }) => field ?? []);
    const isScript = fields.includes('script');
    const facts = isScript ? [sender] : [...new Set(fields), sender];
    const reason = isScript ? 'script-missing' : 'cannot-start';
    this.#records.note(id, { outcome: 'refused', reason, detail: facts.join(', '), runId: null });
    return { status: 503, retryAfterS };
  }

  #refuseUnknown(status: number, detail: string): HookAnswer {
    this.#records.note(null, { outcome: 'refused', reason: 'no-webhook', detail, runId: null });
    return { status };
  }
}

function shown(text: string | null): string | null {
  return text === null ? null : text.slice(0, longestShown);
}
