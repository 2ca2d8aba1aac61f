import type { Text } from '../../shared/text.ts';
import type { WebhookTrigger } from '../trigger.ts';

/** A single failure already shows a notification, if its script wants one. */
const failuresInRow = 3;

/** Notifies the user once when the runs of a webhook fail several times in a row. */
export class FailureNotices {
  readonly #notify: (text: Text, trigger: WebhookTrigger) => void;
  /** Failures since the last success, by trigger. */
  readonly #failures = new Map<string, number>();

  constructor(notify: (text: Text, trigger: WebhookTrigger) => void) {
    this.#notify = notify;
  }

  /** A run of the webhook has ended with all its retries, or could not start. */
  note(trigger: WebhookTrigger, isSuccess: boolean): void {
    const { id } = trigger;
    const count = isSuccess ? 0 : (this.#failures.get(id) ?? 0) + 1;
    if (count === 0) this.#failures.delete(id);
    else this.#failures.set(id, count);
    if (count === failuresInRow)
      this.#notify(
        {
          en: `The webhook "${id}" failed ${count} times in a row. To see its deliveries: hob triggers slots ${id}`,
          zh: `Webhook“${id}”已连续失败 ${count} 次。可用 hob triggers slots ${id} 查看其请求。`,
        },
        trigger,
      );
  }

  /** Forgets all other triggers. */
  keepOnly(triggerIds: ReadonlySet<string>): void {
    for (const id of this.#failures.keys()) if (!triggerIds.has(id)) this.#failures.delete(id);
  }
}
