import { createHash, createHmac } from 'node:crypto';

import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import type { KeyUse } from './key-store.ts';

interface KeyedRequest {
  readonly key: string;
  readonly scriptId: string;
  /** What the fields came in: the texts of a form mean other things than those of JSON. */
  readonly kind: 'json' | 'form';
  readonly fields: JsonObject;
}

/**
 * What is kept of a key and of the request that came with it. The order of fields is no difference, nor how the id of the script
 * is written. A body may have secrets in it, which could be guessed from a plain hash of it; with the key in it they cannot.
 */
export function fingerprint({ key, scriptId, kind, fields }: KeyedRequest): KeyUse {
  const id = scriptId.toLowerCase();
  const body = `${kind} ${canonicalJson({ ...fields, script_id: id })}`;
  return {
    scriptId: id,
    keyHash: createHash('sha256').update(key).digest('hex'),
    bodyMac: createHmac('sha256', key).update(body).digest('hex'),
  };
}

/** A value as text that is the same for all equal values. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
