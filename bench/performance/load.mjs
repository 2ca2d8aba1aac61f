import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const client = fileURLToPath(new URL('./load-client.mjs', import.meta.url));

/** The client, in a separate process. */
export class Load {
  #child = fork(client, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  #cpuMs = 0;
  #calls = 0;

  /** Processor time of the client, in milliseconds per call, over all calls so far. */
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

/** Resolves with the next message of a child process, and rejects if the process ends first. */
function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const onExit = (code, signal) => reject(new Error(`a process of the benchmark ended: ${signal ?? code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}

/** The bytes of a request to a URL, with an optional JSON body. */
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
