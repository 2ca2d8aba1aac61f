import { setTimeout as pause } from 'node:timers/promises';
import type { ModelSource } from '../../contract/values.ts';
import { brief } from '../../shared/brief.ts';
import { AppError } from '../../shared/errors.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import { retryAfterMs } from '../../shared/retry-after.ts';
import type { RepoId } from '../repo-id.ts';
import {
  type GetOptions,
  type HubClient,
  type HubResponse,
  TransientError,
  transient,
} from './http-client.ts';
import type { HubAccess, HubFile, Part, RepoListing } from './hub.ts';
import { badAnswer, type RefusalContext, refusalOf, unreachable } from './hub-errors.ts';

export interface HubOptions {
  readonly access: HubAccess;
  readonly client: HubClient;
  readonly pace: number;
}

const longestTokenBytes = 4096;
const mostAttempts = 5;
const firstPauseMs = 500;
const longestPauseMs = 30_000;
/**
 * More than a list of 100,000 files with 20 fields each needs. Without a limit, a short document could exhaust the memory: each empty
 * list in `[[],[],…` needs ten times its length, and parsing blocks the event loop.
 */
const mostJsonValues = 3_000_000;

interface AskOptions extends GetOptions, RefusalContext {
  readonly client: HubClient;
  /** Factor for the pauses between attempts. */
  readonly pace: number;
  readonly accepts?: readonly number[];
}

/** A server that provides models. All returned values are validated. */
export abstract class Hub {
  abstract readonly source: ModelSource;
  readonly #options: HubOptions;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  abstract list(repo: RepoId, revision: string | null, signal: AbortSignal): Promise<RepoListing>;

  /** The headers with which this hub expects a token. */
  protected abstract credentialsOf(token: string): Readonly<Record<string, string>>;

  protected abstract addressOf(repo: RepoId, snapshot: string, file: HubFile): URL;

  protected get endpoint(): URL {
    return parseEndpoint(this.#options.access);
  }

  get host(): string {
    return this.endpoint.host;
  }

  /** Requests a file from an offset on. The status is 200, 206, or 416 if there are no bytes after the offset. */
  async open(
    repo: RepoId,
    snapshot: string,
    file: HubFile,
    part: Part,
    signal: AbortSignal,
  ): Promise<HubResponse> {
    const asking = await this.asking(repo, snapshot, signal);
    const url = this.addressOf(repo, snapshot, file);
    return askHub(url, { ...asking, headers: rangeHeaders(part), accepts: [200, 206, 416] });
  }

  /** Prepares the options of a request. Reads the token each time, because the user may log in meanwhile. */
  protected async asking(repo: RepoId, revision: string | null, signal: AbortSignal) {
    const { access, client, pace } = this.#options;
    refuseOffline(access);
    const token = await readToken(access);
    return {
      client,
      pace,
      source: this.source,
      repo,
      revision,
      signal,
      endpoint: this.endpoint,
      hasToken: token !== null,
      credentials: token === null ? {} : this.credentialsOf(token),
    } as const;
  }
}

/** Sends a GET request and returns the response if its status is accepted. Retries transient failures a few times, and throws for others. */
async function askHub(url: URL, options: AskOptions): Promise<HubResponse> {
  const { client, signal, pace, accepts = [200, 206] } = options;
  for (let attempt = 1; ; attempt++) {
    const result = await client.get(url, options).catch((error: unknown) => {
      if (error instanceof TransientError) return error;
      throw error;
    });
    let pauseMs = backOffMs(attempt);
    if (result instanceof TransientError) {
      if (attempt === mostAttempts) throw unreachable(url.host, result.message);
    } else {
      const status = result.statusCode ?? 0;
      if (accepts.includes(status)) return result;
      const waitMs = retryAfterMs(result.headers['retry-after']);
      const errorCode = result.headers['x-error-code'];
      result.on('error', () => {}).destroy();
      const mayPass = status === 429 || status >= 500;
      // Fail at once if the server asks for a long wait.
      const isSoon = waitMs === null || waitMs <= longestPauseMs;
      if (!mayPass || !isSoon || attempt === mostAttempts)
        throw refusalOf(status, {
          ...options,
          errorCode: typeof errorCode === 'string' ? errorCode : null,
          waitMs,
        });
      pauseMs = waitMs ?? pauseMs;
    }
    await pause(pauseMs * pace, undefined, { signal });
  }
}

/** Exponential backoff with jitter, so that concurrent requests do not retry at the same time. */
export function backOffMs(attempt: number): number {
  const fullMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
  return fullMs * (0.5 + Math.random() / 2);
}

/** Requests a JSON document of limited size. Returns it with the response headers. */
export async function askForJson(
  url: URL,
  options: AskOptions & { readonly maxBytes: number },
): Promise<{ document: unknown; headers: HubResponse['headers'] }> {
  const failed = (en: string, zh: string) => badAnswer(url.host, { en, zh });
  for (let attempt = 1; ; attempt++) {
    const response = await askHub(url, options);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let values = 0;
    try {
      for await (const chunk of response) {
        bytes += chunk.length;
        values += countValues(chunk);
        if (bytes > options.maxBytes || values > mostJsonValues)
          throw failed('sent a list that is too long', '返回的列表过大');
        chunks.push(chunk);
      }
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      const result = transient(error, url);
      if (!(result instanceof TransientError)) throw result;
      if (attempt === mostAttempts) throw unreachable(url.host, result.message);
      await pause(backOffMs(attempt) * options.pace, undefined, { signal: options.signal });
      continue;
    }
    try {
      return { document: JSON.parse(Buffer.concat(chunks).toString()), headers: response.headers };
    } catch {
      throw failed('sent a response that is not JSON', '返回的内容不是 JSON');
    }
  }
}

/** Estimates the number of JSON values. Also counts characters inside strings, which are few. */
function countValues(json: Buffer): number {
  let count = 0;
  for (const byte of json) if (byte === comma || byte === openBrace || byte === openBracket) count++;
  return count;
}

const comma = 0x2c;
const openBrace = 0x7b;
const openBracket = 0x5b;

/** The address of a hub. It ends with a slash, so that relative paths can be appended. */
function parseEndpoint({ endpoint }: HubAccess): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  const isWeb = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  if (!isWeb || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    // Do not quote an address that may contain a password.
    const shown = endpoint.includes('@') ? '' : ` ${brief(endpoint)}`;
    throw new AppError('hub-unreachable', {
      en: `The address of the hub${shown} is not valid.`,
      zh: `模型站点的地址${shown}无法使用。`,
      hint: {
        en: 'Use an address such as https://huggingface.co. Correct huggingface_endpoint or modelscope_endpoint in the settings, or HF_ENDPOINT or MODELSCOPE_ENDPOINT, then restart Hob.',
        zh: '应类似 https://huggingface.co。请修改设置 huggingface_endpoint / modelscope_endpoint 或环境变量 HF_ENDPOINT / MODELSCOPE_ENDPOINT，然后重启 Hob。',
      },
    });
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** The token to send. Null if there is none, or if it has characters that are invalid in a header. */
async function readToken({ token, tokenFile }: HubAccess): Promise<string | null> {
  if (token !== null) return usable(token);
  if (tokenFile === null) return null;
  const read = await readRegularFile(tokenFile, { maxBytes: longestTokenBytes });
  return read.kind === 'content' ? usable(read.bytes.toString()) : null;
}

function usable(text: string): string | null {
  const token = text.trim();
  return /^[\x21-\x7E]+$/.test(token) ? token : null;
}

function refuseOffline({ isOffline }: HubAccess): void {
  if (!isOffline) return;
  throw new AppError('hub-unreachable', {
    en: 'Downloads from Hugging Face are disabled, because HF_HUB_OFFLINE is set.',
    zh: '已设置 HF_HUB_OFFLINE，不会从 Hugging Face 下载。',
    hint: { en: 'Unset HF_HUB_OFFLINE, then restart Hob.', zh: '请取消设置 HF_HUB_OFFLINE 并重启 Hob。' },
  });
}

/** Headers that request a file from an offset on, if the file has not changed. */
function rangeHeaders({ offset, etag }: Part): Record<string, string> {
  if (offset === 0) return {};
  return { range: `bytes=${offset}-`, ...(etag !== null && { 'if-range': etag }) };
}
