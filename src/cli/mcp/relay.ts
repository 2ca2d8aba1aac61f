import { isJsonObject, type Json, type JsonObject, tryParseJson } from '../../shared/json.ts';
import { tr } from '../language.ts';
import type { NodeAnswer } from '../node-fetch.ts';
import { eventData } from './event-data.ts';
import { LostError } from './service-link.ts';

/** A JSON-RPC message of the service: its text, and its parsed value. */
export type OnMessage = (text: string, message: JsonObject) => Promise<void>;

/** The service refused a message. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  /** The JSON-RPC code; null if the service did not answer with JSON-RPC. */
  readonly code: number | null;
}

/** Passes each message of an answer on. Returns why the service refused the request; null if it did not. */
export async function relay(answer: NodeAnswer, onMessage: OnMessage): Promise<Refusal | null> {
  const type = answer.headers.get('content-type') ?? '';
  if (answer.ok && type.startsWith('text/event-stream')) {
    for await (const text of broken(eventData(answer.incoming))) {
      const message = tryParseJson(text);
      if (isJsonObject(message)) await onMessage(text, message);
    }
    return null;
  }
  const text = await answer.text().catch(lost);
  const body = tryParseJson(text);
  const messages = (Array.isArray(body) ? body : [body]).filter(isJsonObject);
  const isProtocol = messages.some(({ jsonrpc }) => jsonrpc === '2.0');
  // An error without an id answers no message of the client.
  if (isProtocol && (answer.ok || messages.some(({ id }) => (id ?? null) !== null))) {
    const isSingle = !Array.isArray(body);
    for (const message of messages) await onMessage(isSingle ? text : JSON.stringify(message), message);
    return null;
  }
  return answer.ok ? null : refusalOf(answer.status, body);
}

async function* broken(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  const iterator = texts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next().catch(lost);
      if (done === true) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

function lost(cause: unknown): never {
  throw new LostError('The answer broke.', { cause });
}

function refusalOf(status: number, body: Json | undefined): Refusal {
  const { error, message, hint } = isJsonObject(body) ? body : {};
  if (isJsonObject(error) && typeof error.message === 'string')
    return { status, text: error.message, code: typeof error.code === 'number' ? error.code : null };
  const said = [message ?? error, hint].filter((each) => typeof each === 'string' && each !== '').join(' ');
  return {
    status,
    text: said || tr(`Hob responded with status ${status}.`, `Hob 返回了状态码 ${status}。`),
    code: null,
  };
}
