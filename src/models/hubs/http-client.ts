import { Agent, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';

import { errnoOf } from '../../shared/errors.ts';
import { badAnswer, unreachable } from './hub-errors.ts';

const mostRedirects = 10;
const mostIgnoredBytes = 64 * 1024;
const bufferedBytes = 256 * 1024;

/** A response whose body has not been read yet. */
export type HubResponse = IncomingMessage;

export interface ClientOptions {
  /** Fail a request if the server sends nothing for this long, before or during its response. */
  readonly silenceMs: number;
  readonly version: string;
}

export interface GetOptions {
  /** Headers for the first host only. A redirect to another origin drops them. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A failure that a retry may fix: the connection broke, or the server was silent. */
export class TransientError extends Error {}

/** Sends GET requests to model hubs. It follows redirects itself, so that credentials are never sent to another host. */
export class HubClient {
  readonly #options: ClientOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #secureAgent = new SecureAgent({ keepAlive: true });

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Returns the response after all redirects, with any status. The caller must read its body or destroy it. */
  async get(start: URL, options: GetOptions): Promise<HubResponse> {
    let url = start;
    let credentials = options.credentials;
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const response = await this.#ask(url, { ...options, credentials });
      const { location } = response.headers;
      if (!isRedirect(response.statusCode) || location === undefined) return decoded(response, url);
      letGo(response);
      const next = redirectTarget(location, url);
      if (next.origin !== url.origin) credentials = {};
      url = next;
    }
    throw badAnswer(url.host, {
      en: `redirected more than ${mostRedirects} times`,
      zh: `重定向超过 ${mostRedirects} 次`,
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }

  #ask(url: URL, { credentials, headers = {}, signal }: GetOptions): Promise<HubResponse> {
    const { silenceMs, version } = this.#options;
    const isSecure = url.protocol === 'https:';
    const options = {
      agent: isSecure ? this.#secureAgent : this.#agent,
      headers: {
        'user-agent': `hob/${version}`,
        accept: '*/*',
        // A compressed body would not have the size and the hash that the hub lists for the file.
        'accept-encoding': 'identity',
        ...headers,
        ...credentials,
      },
      signal,
      // A larger buffer than Node's default lets the socket receive while the reader is busy.
      highWaterMark: bufferedBytes,
    };
    return new Promise((resolve, reject) => {
      const asked = isSecure ? requestSecure(url, options) : requestPlain(url, options);
      asked.setTimeout(silenceMs, () => {
        asked.destroy(new TransientError(`${url.host} sent nothing for ${silenceMs / 1000} s`));
      });
      asked.on('error', (error) => reject(signal.aborted ? signal.reason : transient(error, url)));
      asked.once('response', resolve);
      // Node emits neither 'response' nor 'error' for some answers, for example 101 Switching Protocols. It only emits 'close'.
      asked.once('close', () => reject(new TransientError(`${url.host} did not send an HTTP response`)));
      asked.end();
    });
  }
}

/** Converts an error from a request or from reading its body. Errors that a retry may fix become a TransientError. */
export function transient(error: unknown, { host }: { readonly host: string }): Error {
  if (error instanceof TransientError) return error;
  const reason = errnoOf(error);
  if (reason === undefined) return error instanceof Error ? error : new Error(String(error));
  if (reason.startsWith('HPE_') || reason.startsWith('ERR_TLS') || reason.includes('CERT'))
    return unreachable(host, reason, error);
  // The message of such an error may quote the request, including credentials. Its code cannot.
  return new TransientError(`the connection to ${host} failed (${reason})`);
}

function isRedirect(status: number | undefined): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** Discards a response. A short body is read to its end, so that the connection can be reused; a long one is cut off. */
function letGo(response: HubResponse): void {
  const length = Number(response.headers['content-length'] ?? Number.NaN);
  response.on('error', () => {});
  if (length <= mostIgnoredBytes) response.resume();
  else response.destroy();
}

function redirectTarget(location: string, from: URL): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const isWeb = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  const isDowngrade = isWeb && from.protocol === 'https:' && url.protocol === 'http:';
  if (!isWeb || isDowngrade || url.username !== '' || url.password !== '') {
    throw badAnswer(from.host, {
      en: 'redirected to an address that Hob does not follow',
      zh: '重定向到不可跟随的地址',
    });
  }
  url.hash = '';
  return url;
}

function decoded(response: HubResponse, { host }: URL): HubResponse {
  const encoding = response.headers['content-encoding'];
  if (encoding === undefined || encoding === '' || encoding === 'identity') return response;
  response.on('error', () => {}).destroy();
  throw badAnswer(host, {
    en: 'sent a compressed response, which Hob did not request',
    zh: '返回了未请求的压缩内容',
  });
}
