import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** One request, down to its bytes. Each character of the target and of the headers stands for one byte. */
export interface Call {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | null;
  /** Whether the client disconnects without an answer, because the answer may take long. */
  readonly hangsUp: boolean;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the body was not read to its end, because it has no end or may take long. */
  readonly isCut: boolean;
}

const answeredWithinMs = 60_000;
const patienceMs = 100;

export class ApiClient {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, connections: number) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Resolves with null when the caller hung up before the answer. */
  send(call: Call): Promise<ApiAnswer | null> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.#url);
      const { method, headers, target } = call;
      const sent = request(
        { hostname, port, method, path: target, agent: this.#agent, headers },
        (response) => {
          clearTimeout(hangUp);
          void readBody(response, isEndless(call, response)).then(
            ({ body, isCut }) => {
              clearTimeout(tooLate);
              if (isCut) sent.destroy();
              resolve({ status: response.statusCode ?? 0, headers: response.headers, body, isCut });
            },
            (error) => reject(error),
          );
        },
      );
      const tooLate = setTimeout(() => sent.destroy(new Error('no answer in time')), answeredWithinMs);
      const hangUp = setTimeout(() => {
        if (!call.hangsUp) return;
        clearTimeout(tooLate);
        sent.destroy();
        resolve(null);
      }, patienceMs);
      sent.once('error', (error) => {
        clearTimeout(tooLate);
        clearTimeout(hangUp);
        reject(error);
      });
      sent.end(call.body ?? '');
    });
  }
}

/** Event streams and followed output continue until the run ends. */
function isEndless({ target }: Call, { headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true || target.includes('follow');
}

/** The whole body, or only the beginning if the body may have no end. */
function readBody(response: IncomingMessage, isEndless: boolean): Promise<{ body: Buffer; isCut: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const done = (isCut: boolean) => resolve({ body: Buffer.concat(chunks), isCut });
    response.once('error', (error) => reject(error));
    response.once('end', () => done(false));
    // A run that writes nothing sends the headers of its output, but perhaps never a byte of it.
    if (isEndless && response.headers['content-type']?.startsWith('text/plain')) return done(true);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isEndless) done(true);
    });
  });
}
