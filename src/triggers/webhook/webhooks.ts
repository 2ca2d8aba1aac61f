import { inUrl, isLoopback } from '../../shared/addresses.ts';
import type { Clock } from '../../shared/clock.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import type { Text } from '../../shared/text.ts';
import type { FiringRuns } from '../firing-runs.ts';
import type {
  Trigger,
  TriggerDriver,
  TriggerEntry,
  TriggerProblem,
  TriggerStatus,
  WebhookTrigger,
} from '../trigger.ts';
import type { TriggerStore } from '../trigger-store.ts';
import { Deliveries, type HookSecrets } from './deliveries.ts';
import { FailureNotices } from './failure-notices.ts';
import { HookServer } from './hook-server.ts';
import {
  blockedNotice,
  blockedProblem,
  cannotListen,
  missingSecret,
  noAddress,
  unreadableSecret,
  wordsOf,
} from './hook-words.ts';
import { secretProblem } from './signatures.ts';

interface WebhooksOptions {
  /** Null if the settings name no address. */
  address: { readonly host: string; readonly port: number } | null;
  runs: Pick<FiringRuns, 'start' | 'find' | 'onEnd'>;
  store: Pick<TriggerStore, 'record' | 'find'>;
  secrets: HookSecrets;
  clock: Clock;
  log: Logger;
  /** How long the id of a delivery is known. */
  keepIdsMs: number;
  notify: (text: Text, trigger?: Trigger) => void;
  /** Called when the listener has opened, closed or failed. */
  onChange: () => void;
}

type Problem = Omit<TriggerProblem, 'field'>;

/** A webhook whose secret cannot be used. */
export interface Blocked {
  readonly triggerId: string;
  readonly problem: Problem;
}

const retryListenMs = 5000;

/**
 * Receives webhooks on a listener of its own. It is open only while at least one webhook is on, and only if the secret of each of them
 * is stored.
 */
export class Webhooks implements TriggerDriver<WebhookTrigger> {
  readonly #options: WebhooksOptions;
  readonly #deliveries: Deliveries;
  readonly #failures: FailureNotices;
  readonly #unsubscribe: () => void;
  #hooks: ReadonlyMap<string, WebhookTrigger> = new Map();
  /** The webhooks that are on, but cannot be used. */
  #broken: readonly TriggerEntry[] = [];
  #blocked: Blocked | null = null;
  #server: { readonly server: HookServer; readonly port: number } | null = null;
  /** The error code of the last attempt to listen. */
  #failure: string | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;
  /** Opening and closing, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: WebhooksOptions) {
    this.#options = options;
    const { runs, store, secrets, clock, log, keepIdsMs } = options;
    this.#failures = new FailureNotices(options.notify);
    this.#deliveries = new Deliveries({
      runs,
      store,
      secrets,
      clock,
      log,
      keepIdsMs,
      elapsedMs: () => performance.now(),
      onFailure: (trigger) => this.#failures.note(trigger, false),
      onSecretLost: () => this.#checkSecrets(),
    });
    this.#unsubscribe = runs.onEnd(({ triggerId, isSuccess }) => {
      const trigger = this.#hooks.get(triggerId);
      if (trigger !== undefined) this.#failures.note(trigger, isSuccess);
    });
  }

  update(triggers: readonly WebhookTrigger[], broken: readonly TriggerEntry[]): void {
    this.#broken = broken;
    this.#hooks = new Map(triggers.map((trigger) => [trigger.id, trigger]));
    this.#failures.keepOnly(new Set(this.#hooks.keys()));
    this.#deliveries.update(this.#hooks, broken);
    this.#checkSecrets();
  }

  status(trigger: WebhookTrigger): TriggerStatus {
    return { next: [], words: wordsOf(trigger), address: this.#addressOf(trigger), problem: this.#problem() };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#adjust();
    await this.#work;
    this.#deliveries.close();
  }

  /** Opens the listener if all secrets can be used. Repeated while one cannot: no event says that the file can be read again. */
  #checkSecrets(): void {
    const before = this.#blocked;
    this.#blocked = blockedEntry(this.#broken) ?? this.#blockedTrigger();
    this.#reportBlocked(before);
    this.#adjust();
    if ((before === null) !== (this.#blocked === null)) this.#options.onChange();
  }

  #problem(): TriggerProblem | null {
    const { address } = this.#options;
    if (address === null) return noAddress;
    if (this.#blocked !== null) return blockedProblem(this.#blocked);
    if (this.#failure !== null) return cannotListen(`${inUrl(address.host)}:${address.port}`, this.#failure);
    return null;
  }

  #addressOf({ id }: WebhookTrigger): string | null {
    const { address } = this.#options;
    const port = this.#server?.port ?? address?.port ?? 0;
    return address === null || port === 0
      ? null
      : `http://${inUrl(nearest(address.host))}:${port}/hook/${id}`;
  }

  #blockedTrigger(): Blocked | null {
    for (const { id, secret, signature } of this.#hooks.values()) {
      const problem = this.#secretProblem(signature, secret);
      if (problem !== null) return { triggerId: id, problem };
    }
    return null;
  }

  #secretProblem(signature: WebhookTrigger['signature'], name: string): Problem | null {
    try {
      const secret = this.#options.secrets.read(name);
      return secret === null ? missingSecret(name) : secretProblem(signature, secret, name);
    } catch (error) {
      if (error instanceof AppError)
        return { message: error.text, advice: error.hint ?? missingSecret(name).advice };
      this.#options.log.error({ err: error }, 'cannot read the secret of a webhook');
      return unreadableSecret(name, errnoOf(error) ?? 'unknown');
    }
  }

  #reportBlocked(before: Blocked | null): void {
    const { address, log, notify } = this.#options;
    if (this.#blocked === null || address === null) return;
    const { triggerId, problem } = this.#blocked;
    if (before?.triggerId === triggerId && before.problem.message.en === problem.message.en) return;
    log.error({ trigger: triggerId, problem: problem.message.en }, 'the listener for webhooks is closed');
    notify(blockedNotice(this.#blocked));
  }

  get #isWanted(): boolean {
    const { address } = this.#options;
    return !this.#isClosed && address !== null && this.#blocked === null && this.#hooks.size > 0;
  }

  /** Opens or closes the listener, as the triggers require. */
  #adjust(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry =
      this.#blocked === null || this.#isClosed
        ? null
        : setTimeout(() => this.#checkSecrets(), retryListenMs).unref();
    this.#work = this.#work.then(() => (this.#isWanted ? this.#open() : this.#shut()));
  }

  async #open(): Promise<void> {
    const { address, log, onChange } = this.#options;
    if (address === null || this.#server !== null) return;
    const server = new HookServer({
      open: (head) => this.#deliveries.open(head),
      onInvalid: (detail, sender) => this.#deliveries.noteInvalid(detail, sender),
      onDefect: (error) => log.error({ err: error }, 'error in the listener for webhooks'),
    });
    try {
      const port = await server.listen(address.host, address.port);
      this.#server = { server, port };
      this.#failure = null;
      log.info({ address: `${inUrl(address.host)}:${port}` }, 'listening for webhooks');
      if (!isLoopback(address.host))
        log.warn(
          'other machines can reach the listener for webhooks over unencrypted connections; see SECURITY.md',
        );
      onChange();
    } catch (error) {
      const code = errnoOf(error) ?? String(error);
      const isNew = this.#failure !== code;
      this.#failure = code;
      if (isNew) {
        log.error(
          { address: `${inUrl(address.host)}:${address.port}`, err: error },
          'cannot listen for webhooks',
        );
        onChange();
      }
      this.#retry = setTimeout(() => this.#adjust(), retryListenMs).unref();
    }
  }

  async #shut(): Promise<void> {
    const open = this.#server;
    this.#failure = null;
    if (open === null) return;
    this.#server = null;
    await open.server.close();
    if (this.#isClosed) return;
    this.#options.log.info('stopped listening for webhooks');
    this.#options.onChange();
  }
}

/** An entry without a stored secret is broken, so it is not among the triggers. */
function blockedEntry(broken: readonly TriggerEntry[]): Blocked | null {
  for (const { id, problems } of broken) {
    const problem = problems.find(({ field }) => field === 'secret');
    if (problem !== undefined) return { triggerId: id, problem };
  }
  return null;
}

/** An address that the user can try on this machine. */
function nearest(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
