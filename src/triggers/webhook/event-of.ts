import { isUtf8 } from 'node:buffer';

import {
  findJsonHazard,
  forbiddenKeys,
  type Json,
  type JsonObject,
  tryParseJson,
} from '../../shared/json.ts';
import { type HeaderList, valuesOf } from './header-list.ts';

interface Received {
  readonly headers: HeaderList;
  /** The text after the question mark. */
  readonly query: string;
  readonly body: Buffer;
}

/**
 * Headers that prove who a sender is. Scripts get none of them, because params of runs are stored. The names are those of tokens,
 * signatures and cookies of any sender, and those that proxies add.
 */
const confidential = /authorization|cookie|signature|token|secret|password|api-?key|assertion|client-cert/;

/**
 * The value that a script receives: the headers in lower case, the fields of the query, and the body in the form that its content type
 * names. `body_base64` has the exact bytes.
 */
export function eventOf({ headers, query, body }: Received): JsonObject {
  return {
    headers: headersOf(headers),
    query: withoutForbidden(fieldsOf(query)),
    body: contentOf(headers, body),
    body_base64: body.toString('base64'),
  };
}

/** A value of the same shape: what a user fires has no delivery. */
export const emptyEvent: JsonObject = { headers: {}, query: {}, body: null, body_base64: '' };

function headersOf(headers: HeaderList): JsonObject {
  const pairs = headers.flatMap((value, index): [string, string][] =>
    index % 2 === 0 ? [] : [[(headers[index - 1] ?? '').toLowerCase(), value]],
  );
  const shown = [...grouped(pairs)].filter(([name]) => !confidential.test(name));
  return withoutForbidden(Object.fromEntries(shown.map(([name, values]) => [name, values.join(', ')])));
}

/** Null if the body is not text. JSON that Hob cannot pass on unchanged stays text. */
function contentOf(headers: HeaderList, body: Buffer): Json {
  const [encoding = 'identity'] = valuesOf(headers, 'content-encoding');
  if (body.length === 0 || encoding.trim().toLowerCase() !== 'identity' || !isUtf8(body)) return null;
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  const [type] = valuesOf(headers, 'content-type');
  switch (kindOf(type)) {
    case 'json':
      return parsed(text);
    case 'form':
      return safe(fieldsOf(text)) ?? text;
    case 'other':
      return text;
  }
}

function parsed(text: string): Json {
  const value = safe(tryParseJson(text));
  return value === undefined ? text : value;
}

function kindOf(type: string | undefined): 'json' | 'form' | 'other' {
  const [name = ''] = (type ?? 'application/json').split(';');
  const media = name.trim().toLowerCase();
  if (media === 'application/x-www-form-urlencoded') return 'form';
  return /^[^/]+\/(?:.+\+)?json$/.test(media) ? 'json' : 'other';
}

/** A name that occurs more than once has a list of its values. */
function fieldsOf(text: string): JsonObject {
  const entries = [...grouped(new URLSearchParams(text))].map(([name, values]): [string, Json] => {
    const [first = '', ...others] = values;
    return [name, others.length === 0 ? first : values];
  });
  return Object.fromEntries(entries);
}

/** No params may contain these names. A sender must not lose its other fields because of one of them. */
function withoutForbidden(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !forbiddenKeys.has(name)));
}

function grouped(pairs: Iterable<[string, string]>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [value]);
    else group.push(value);
  }
  return groups;
}

/** Undefined for values that must not be passed on: nested too deeply, with a dangerous key, or with an infinite number. */
function safe<Value extends Json | undefined>(value: Value): Value | undefined {
  // The value is part of an event, which is part of the params.
  return findJsonHazard([[[value]]]) === undefined ? value : undefined;
}
