import { setTimeout as pause } from 'node:timers/promises';

import { AppError } from '../../shared/errors.ts';
import {
  type GetOptions,
  type HubClient,
  type HubResponse,
  TransientError,
  transient,
} from './http-client.ts';
import { badAnswer, unreachable } from './hub-errors.ts';
import { type RefusalContext, refusalOf, retryAfterMs } from './refusals.ts';

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
  /** The status codes that count as success. */
  readonly accepts?: readonly number[];
}

/** Sends a GET request and returns the response if its status is accepted. Retries transient failures a few times, and throws for others. */
export async function askHub(url: URL, options: AskOptions): Promise<HubResponse> {
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
