import { createHash, createHmac } from 'node:crypto';

import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import type { KeyUse } from './key-store.ts';

interface KeyedRequest {
  readonly key: string;
  readonly scriptId: string;
  /** The format of the body: strings of a form have another meaning than strings of JSON. */
  readonly kind: 'json' | 'form';
  readonly fields: JsonObject;
}

/**
 * Computes the stored form of a key and its request. The order of the fields and the letter case of the script id do
 * not matter. A body may contain secrets, which an attacker could guess from a plain hash. The hash therefore uses the
 * key as its secret.
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

/** Serializes a value so that equal values have equal texts. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
