import Type from 'typebox';
import Value from 'typebox/value';

import { type GivenRetries, longestDelayMs, RetriesSchema, retryDefaults } from '../contract/retries.ts';
import type { Retries } from '../contract/values.ts';
import { brief } from '../shared/brief.ts';
import { parseDuration } from '../shared/durations.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import { findMismatches } from './describe-mismatch.ts';

type RetriesReading =
  /** `retries` is null if there is only one attempt. */
  | { readonly kind: 'valid'; readonly retries: Retries | null }
  /** `field` is a name such as `retries.backoff`. */
  | { readonly kind: 'invalid'; readonly field: string; readonly message: Text };

const Holder = Type.Object({ retries: RetriesSchema });

/** Reads `retries` of a request or of a trigger. Reports the first invalid field. */
export function readRetries(value: Json): RetriesReading {
  const given = { retries: value };
  const unknown = isJsonObject(value)
    ? Object.keys(value).find((name) => !Object.hasOwn(RetriesSchema.properties, name))
    : undefined;
  if (unknown !== undefined) return unknownField(unknown);
  const [mismatch] = findMismatches(Holder, given);
  if (mismatch !== undefined || !Value.Check(Holder, given)) {
    const names = mismatch?.path.filter((step) => typeof step === 'string') ?? ['retries'];
    const message = mismatch?.message ?? { en: 'retries is not valid', zh: 'retries 不符合要求' };
    return { kind: 'invalid', field: names.join('.'), message };
  }
  const backoff = backoffFault(given.retries);
  if (backoff !== null) return { kind: 'invalid', field: 'retries.backoff', message: backoff };
  return { kind: 'valid', retries: retriesOf(given.retries) };
}

/** The mistake in `backoff`, which a schema cannot find; or null. */
export function backoffFault({ backoff }: GivenRetries): Text | null {
  const ms = backoff === undefined ? 0 : parseDuration(backoff);
  if (ms !== null && ms <= longestDelayMs) return null;
  const found = brief(backoff ?? '');
  return {
    en: `retries.backoff must be a duration such as "500ms", "10s", "5m" or "2h", at most "24h", not ${found}`,
    zh: `retries.backoff 应为时长，例如 "500ms"、"10s"、"5m"、"2h"，最长 "24h"，而不是 ${found}`,
  };
}

/** Completes checked values with the defaults. Null if there is only one attempt. */
export function retriesOf(given: GivenRetries): Retries | null {
  const { attempts = retryDefaults.attempts, factor = retryDefaults.factor, on = retryDefaults.on } = given;
  const backoffMs = given.backoff === undefined ? null : parseDuration(given.backoff);
  if (attempts === 1) return null;
  return { attempts, backoffMs: backoffMs ?? retryDefaults.backoffMs, factor, on: [...new Set(on)] };
}

/**
 * Without the cause `lost` for a script with a lock: the process of a lost run may still run, and two runs would hold the
 * lock.
 */
export function retriesUnderLock(retries: Retries | null, lock: string | null): Retries | null {
  if (retries === null || lock === null) return retries;
  const on = retries.on.filter((cause) => cause !== 'lost');
  return on.length === 0 ? null : { ...retries, on };
}

function unknownField(name: string): RetriesReading {
  const known = Object.keys(RetriesSchema.properties).join(', ');
  const field = `retries.${name.slice(0, 100)}`;
  return {
    kind: 'invalid',
    field,
    message: {
      en: `Unknown field ${JSON.stringify(field)}. Known fields of retries: ${known}`,
      zh: `未知的字段 ${JSON.stringify(field)}，retries 可用的字段有 ${known}`,
    },
  };
}
