import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { nextMessage } from './next-message.mjs';

const client = fileURLToPath(new URL('./load-client.mjs', import.meta.url));

/** Whoever calls, in a process of its own. */
export class Load {
  #child = fork(client, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  #cpuMs = 0;
  #calls = 0;

  /** What calling itself takes of the processor, in milliseconds a call, over everything so far. */
  get cpuMsPerCall() {
    return this.#cpuMs / this.#calls;
  }

  burst(options) {
    return this.#do({ job: 'burst', ...options });
  }

  pace(options) {
    return this.#do({ job: 'pace', ...options });
  }

  close() {
    this.#child.disconnect();
  }

  async #do(order) {
    this.#child.send(order);
    const seen = await nextMessage(this.#child);
    if (seen.error !== undefined) throw new Error(seen.error);
    this.#cpuMs += seen.cpuMs;
    this.#calls += seen.allCalls;
    return seen;
  }
}

/** A request as a caller sends it: of a URL, with a body in JSON if there is one. */
export function targetOf(url, { body, expected }) {
  const { hostname, port, pathname, search } = new URL(url);
  const content = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${body === undefined ? 'GET' : 'POST'} ${pathname}${search} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  return { host: hostname, port: Number(port), request: `${head.join('\r\n')}\r\n\r\n${content}`, expected };
}
