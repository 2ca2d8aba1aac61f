import { setTimeout as wait } from 'node:timers/promises';

import { tr } from '../language.ts';
import { ServiceClient, UnreachableError } from '../service-client.ts';
import { UserError } from '../user-error.ts';

const pollMs = 200;
/** A restarted service responds within one or two seconds; on a busy machine it takes longer. */
const longestOutageMs = 30_000;
/** A shorter interruption is not reported. */
const reportAfterMs = 1000;

/** A connection to the service of a home that survives a restart of the service. */
export class Connection {
  readonly #home: string | undefined;
  #client: ServiceClient;
  #unreachableSince: number | null = null;
  #isReported = false;
  #say = (line: string): void => void process.stderr.write(`${line}\n`);

  constructor(client: ServiceClient, home: string | undefined) {
    this.#client = client;
    this.#home = home;
  }

  /** Sets the function that prints messages, for commands that draw on the screen. */
  printWith(say: (line: string) => void): void {
    this.#say = say;
  }

  get client(): ServiceClient {
    return this.#client;
  }

  /** Called when the service has responded. Resets the waiting time. */
  confirm(): void {
    this.#unreachableSince = null;
    this.#isReported = false;
  }

  /** Looks for the service again; its address may have changed. Throws if it has been gone for too long. */
  async renew(hint: string): Promise<void> {
    const now = performance.now();
    this.#unreachableSince ??= now;
    if (now - this.#unreachableSince > reportAfterMs && !this.#isReported) {
      this.#isReported = true;
      this.#say(tr('Hob has stopped. Waiting for it to start again ...', 'Hob 已停止，正在等待它恢复……'));
    }
    if (now - this.#unreachableSince > longestOutageMs)
      throw new UserError(
        `${tr('Hob has stopped and did not start again.', 'Hob 已停止，没有恢复。')} ${hint}`,
      );
    await wait(pollMs);
    this.#client = await ServiceClient.find(this.#home).catch((error: unknown) => {
      if (error instanceof UserError) return this.#client;
      throw error;
    });
  }

  /** Sends a request and repeats it if the service goes away. Only for requests that may be sent twice. */
  async ask<Answer>(hint: string, question: (client: ServiceClient) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        const answer = await question(this.#client);
        this.confirm();
        return answer;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        await this.renew(hint);
      }
    }
  }
}
