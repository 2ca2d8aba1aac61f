import { Agent, request } from 'node:http';

import { onTestFinished } from 'vitest';

const connections = 8;
/** 3 kB in UTF-8, so that the socket buffers between two programs fill up soon. */
const message = '好'.repeat(1000);

/** The cheapest way to create many large events. */
export class NotificationFlood {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connections });

  constructor(url: string) {
    this.#url = url;
    onTestFinished(() => this.#agent.destroy());
  }

  async send(count: number): Promise<void> {
    let left = count;
    const sendOn = async () => {
      while (left-- > 0) await this.#notify();
    };
    await Promise.all(Array.from({ length: connections }, sendOn));
  }

  #notify(): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#url}/api/notify`,
        { method: 'POST', agent: this.#agent, headers: { 'content-type': 'application/json' } },
        (response) => {
          response.resume();
          response.once('end', resolve);
        },
      );
      sent.once('error', reject);
      sent.end(JSON.stringify({ notify_type: 'info', message }));
    });
  }
}
