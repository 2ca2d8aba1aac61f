import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';

import { errnoOf } from '../../shared/errors.ts';
import { TappedAgent, TappedSecureAgent } from './body-tap.ts';
import { badAnswer, unreachable } from './hub-errors.ts';

const mostRedirects = 10;
const mostIgnoredBytes = 64 * 1024;
const bufferedBytes = 256 * 1024;

/** An answer whose body is still to come. */
export type HubResponse = IncomingMessage;

export interface ClientOptions {
  /** How long a server may be silent, before its answer or within it. */
  readonly silenceMs: number;
  readonly version: string;
}

export interface GetOptions {
  /** For the first host alone: not one of them is sent to another. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** What failed for a reason that may pass: a connection that broke, a server that is silent. */
export class TransientError extends Error {}

/**
 * Asks servers for things. It is Node's own client, because `fetch` carries a small part of what it can be made to; redirects are followed
 * by hand, for what identifies a user is meant for one host, and must not be sent on to wherever that one points.
 */
export class HubClient {
  readonly #options: ClientOptions;
  readonly #agent = new TappedAgent({ keepAlive: true });
  readonly #secureAgent = new TappedSecureAgent({ keepAlive: true });

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** The answer, whatever its status, after all redirects. Its body has to be read, or destroyed. */
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
        // What is packed has another length and another hash than what was announced.
        'accept-encoding': 'identity',
        ...headers,
        ...credentials,
      },
      signal,
      // What may wait between the socket and whoever reads; with less the two take turns.
      highWaterMark: bufferedBytes,
    };
    return new Promise((resolve, reject) => {
      const asked = isSecure ? requestSecure(url, options) : requestPlain(url, options);
      asked.setTimeout(silenceMs, () => {
        asked.destroy(new TransientError(`${url.host} was silent for ${silenceMs / 1000} s`));
      });
      asked.on('error', (error) => reject(signal.aborted ? signal.reason : transient(error, url)));
      asked.once('response', resolve);
      // Some answers are neither a response nor an error to Node, such as a change of protocol: they only end.
      asked.once('close', () => reject(new TransientError(`${url.host} did not answer in HTTP`)));
      asked.end();
    });
  }
}

/** What went wrong while a body was read, in the same terms as what goes wrong before. */
export function transient(error: unknown, { host }: { readonly host: string }): Error {
  if (error instanceof TransientError) return error;
  const reason = errnoOf(error);
  if (reason === undefined) return error instanceof Error ? error : new Error(String(error));
  if (reason.startsWith('HPE_') || reason.startsWith('ERR_TLS') || reason.includes('CERT'))
    return unreachable(host, reason, error);
  // The message of such an error may quote what was sent; its code cannot.
  return new TransientError(`the connection to ${host} failed (${reason})`);
}

function isRedirect(status: number | undefined): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** A short body is read to its end, so that the connection can be used again; no more than that is worth it. */
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
      en: 'redirected to an address that is not followed',
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
    en: 'sent its answer packed, which was not asked for',
    zh: '返回了未请求的压缩内容',
  });
}
