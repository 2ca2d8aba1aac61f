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
 * A hundred thousand files with twenty fields each have fewer. Without a limit a short document could fill the memory: each of the empty
 * lists in `[[],[],…` takes ten times its length, and nothing else gets its turn while they are read.
 */
const mostJsonValues = 3_000_000;

interface AskOptions extends GetOptions, RefusalContext {
  readonly client: HubClient;
  /** The pauses between attempts, as part of the usual ones. */
  readonly pace: number;
  /** The statuses that are taken for an answer. */
  readonly accepts?: readonly number[];
}

/** Gets what is at an address: an answer with an accepted status. What may pass is tried again a few times, anything else is a refusal. */
export async function askHub(url: URL, options: AskOptions): Promise<HubResponse> {
  const { client, signal, pace, accepts = [200, 206] } = options;
  for (let attempt = 1; ; attempt++) {
    const seen = await client.get(url, options).catch((error: unknown) => {
      if (error instanceof TransientError) return error;
      throw error;
    });
    let pauseMs = backOffMs(attempt);
    if (seen instanceof TransientError) {
      if (attempt === mostAttempts) throw unreachable(url.host, seen.message);
    } else {
      const status = seen.statusCode ?? 0;
      if (accepts.includes(status)) return seen;
      const toldMs = retryAfterMs(seen.headers['retry-after']);
      const said = seen.headers['x-error-code'];
      seen.on('error', () => {}).destroy();
      const mayPass = status === 429 || status >= 500;
      // Whoever is told to come back in an hour is not kept waiting for it.
      const isSoon = toldMs === null || toldMs <= longestPauseMs;
      if (!mayPass || !isSoon || attempt === mostAttempts)
        throw refusalOf(status, { ...options, errorCode: typeof said === 'string' ? said : null, toldMs });
      pauseMs = toldMs ?? pauseMs;
    }
    await pause(pauseMs * pace, undefined, { signal });
  }
}

/** Longer each time, and never the same for two that failed together. */
export function backOffMs(attempt: number): number {
  const fullMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
  return fullMs * (0.5 + Math.random() / 2);
}

/** Gets a JSON document that is not larger than it may be, and the headers it came with. */
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
      const seen = transient(error, url);
      if (!(seen instanceof TransientError)) throw seen;
      if (attempt === mostAttempts) throw unreachable(url.host, seen.message);
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

/** About how many values begin here. Those in a text count, too, for they are few. */
function countValues(json: Buffer): number {
  let count = 0;
  for (const byte of json) if (byte === comma || byte === openBrace || byte === openBracket) count++;
  return count;
}

const comma = 0x2c;
const openBrace = 0x7b;
const openBracket = 0x5b;
