import { setTimeout as wait } from 'node:timers/promises';

import { tr } from '../language.ts';
import { ServiceClient, UnreachableError } from '../service-client.ts';
import { UserError } from '../user-error.ts';

const betweenLooksMs = 200;
/** A service that is started anew is there in a second or two; a machine that is busy takes longer. */
const patienceMs = 30_000;
/** What takes no longer is not worth a word. */
const silentMs = 1000;

/** The service of a home, which may be stopped and started again while a command waits for a run. */
export class Connection {
  readonly #home: string | undefined;
  #client: ServiceClient;
  #goneSince: number | null = null;
  #isTold = false;
  #say = (line: string): void => void process.stderr.write(`${line}\n`);

  constructor(client: ServiceClient, home: string | undefined) {
    this.#client = client;
    this.#home = home;
  }

  /** By what its user is told that it has gone, where more is drawn on the screen. */
  tellBy(say: (line: string) => void): void {
    this.#say = say;
  }

  get client(): ServiceClient {
    return this.#client;
  }

  /** It answers: if it goes from now on, the patience is a new one. */
  confirm(): void {
    this.#goneSince = null;
    this.#isTold = false;
  }

  /** Looks for the service of the home once more, which may have another address by now. Throws when there has been none for long. */
  async renew(whatGoesOn: string): Promise<void> {
    const now = performance.now();
    this.#goneSince ??= now;
    if (now - this.#goneSince > silentMs && !this.#isTold) {
      this.#isTold = true;
      this.#say(tr('Hob has stopped. Waiting for it to start again ...', 'Hob 已停止，正在等待它恢复……'));
    }
    if (now - this.#goneSince > patienceMs)
      throw new UserError(
        `${tr('Hob has stopped and did not start again.', 'Hob 已停止，没有恢复。')} ${whatGoesOn}`,
      );
    await wait(betweenLooksMs);
    this.#client = await ServiceClient.find(this.#home).catch((error: unknown) => {
      if (error instanceof UserError) return this.#client;
      throw error;
    });
  }

  /** Asks, and asks again when the service went away meanwhile. Only for what may be asked twice. */
  async ask<Answer>(
    whatGoesOn: string,
    question: (client: ServiceClient) => Promise<Answer>,
  ): Promise<Answer> {
    for (;;) {
      try {
        const answer = await question(this.#client);
        this.confirm();
        return answer;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        await this.renew(whatGoesOn);
      }
    }
  }
}
