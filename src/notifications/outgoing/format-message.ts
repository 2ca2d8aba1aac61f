import type { OutgoingFormat } from '../../contract/values.ts';
import { assertNever } from '../../shared/assert-never.ts';
import type { KeptNotification } from '../notification-store.ts';
import type { Message } from './post.ts';

/** A notification, and the address of its run in the console. */
export interface Addressed extends KeptNotification {
  readonly address: { readonly url: string; readonly isReachable: boolean } | null;
}

/** An encoded word has at most 75 characters, and the rest of it takes 12. Base64 turns 45 bytes into 60 characters. */
const bytesInWord = 45;
const longestTitle = 250;

/** ntfy shows these tags as emojis. */
const ntfyTags = { success: 'white_check_mark', error: 'x', info: 'information_source' } as const;
const ntfyPriorities = { success: '3', error: '4', info: '3' } as const;

/** Writes a notification in the format that the user chose. */
export function formatMessage(format: OutgoingFormat, notification: Addressed): Message {
  switch (format) {
    case 'json':
      return jsonMessage(notification);
    case 'ntfy':
      return ntfyMessage(notification);
    default:
      return assertNever(format);
  }
}

function titleOf({ scriptName }: KeptNotification): string {
  return scriptName ?? 'Hob';
}

/** Documented in docs/desktop.md. Fields may be added, and none changes its meaning. */
function jsonMessage(notification: Addressed): Message {
  const { id, type, message, at, scriptId, scriptName, runId, address, end } = notification;
  const body = {
    id,
    type,
    title: wellFormed(titleOf(notification)),
    message: message === null ? null : wellFormed(message),
    at,
    script_id: scriptId,
    script_name: scriptName === null ? null : wellFormed(scriptName),
    run_id: runId,
    run_url: address?.url ?? null,
    state: end?.state ?? null,
    end_cause: end?.endCause ?? null,
    exit_code: end?.exitCode ?? null,
  };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Uses the headers with `X-`, because proxies give a meaning of their own to `Priority`. */
function ntfyMessage(notification: Addressed): Message {
  const { type, message, address } = notification;
  const title = titleOf(notification);
  // ntfy replaces an empty text by "triggered".
  const hasText = message !== null && message.trim() !== '';
  return {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(hasText && { 'x-title': encodeHeader(title) }),
      'x-priority': ntfyPriorities[type],
      'x-tags': ntfyTags[type],
      // A click on a phone cannot open an address of this machine only.
      ...(address?.isReachable === true && { 'x-click': address.url }),
    },
    body: hasText ? message : title,
  };
}

/** Replaces halves of surrogate pairs, which many JSON parsers refuse. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** A header value in ASCII: unchanged if possible, otherwise as encoded words of RFC 2047, which ntfy decodes. */
export function encodeHeader(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  const short = line.length > longestTitle ? `${line.slice(0, longestTitle)}…` : line;
  // A text that looks like an encoded word would be decoded.
  if (/^[\x20-\x7e]*$/.test(short) && !short.includes('=?')) return short;
  const words: string[] = [];
  let word = '';
  for (const character of short) {
    if (Buffer.byteLength(word + character) > bytesInWord) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join(' ');
}
