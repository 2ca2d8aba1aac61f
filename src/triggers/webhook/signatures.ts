import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import type { SignatureScheme } from '../../contract/values.ts';
import { isJsonObject, tryParseJson } from '../../shared/json.ts';
import type { Text } from '../../shared/text.ts';
import type { TriggerProblem } from '../trigger.ts';
import { type HeaderList, onlyValue, valuesOf } from './header-list.ts';

/** Bytes of a delivery, exactly as received, with the time of their arrival. */
export interface Delivery {
  readonly headers: HeaderList;
  readonly body: Buffer;
  readonly receivedMs: number;
}

export interface Verified {
  readonly kind: 'verified';
  /** Equal for two deliveries that are the same. Covered by the signature, if the scheme has one; null: nothing identifies it. */
  readonly replayKey: string | null;
  /** The id that the sender gave to the delivery. */
  readonly deliveryId: string | null;
}

export interface Refused {
  readonly kind: 'refused';
  readonly reason: 'no-signature' | 'wrong-signature' | 'too-old' | 'malformed';
  /** The header at fault, if it is a single one. */
  readonly header?: string;
}

export type Verification = Verified | Refused;

interface Scheme {
  /** The headers that prove who sent the delivery. None of them may occur twice. */
  readonly proofs: readonly string[];
  /** The headers with an id. The first one that is there identifies the delivery. */
  readonly ids: readonly string[];
  isId(text: string): boolean;
  /** The bytes of a stored secret; null if this scheme cannot use it. */
  keyOf(secret: string): Buffer | null;
  /** Call it only with headers that `checkHeaders` accepts. */
  verify(delivery: Delivery, key: Buffer): Verification;
}

/** Senders sign the time of sending. A delivery that differs more from the clock is refused, in both directions. */
const toleranceMs = 300_000;
const mostSignatures = 16;
const longestId = 255;

const schemes: Readonly<Record<SignatureScheme, Scheme>> = {
  github: {
    proofs: ['x-hub-signature-256'],
    ids: ['x-github-delivery'],
    isId,
    keyOf: (secret) => bytesOf(withoutLineBreak(secret)),
    verify({ headers, body }, key) {
      const [, sent = ''] = /^sha256=([0-9a-f]{64})$/i.exec(onlyValue(headers, this.proofs[0])) ?? [];
      const expected = hmac(key, [body]);
      if (!isSame(Buffer.from(sent, 'hex'), expected)) return refused('wrong-signature');
      // The header with the id is not signed, and there is no time. The signature itself identifies the bytes.
      return verified(`sha256:${expected.toString('hex')}`, idIn(headers, this.ids));
    },
  },
  stripe: {
    proofs: ['stripe-signature'],
    ids: [],
    isId,
    keyOf: (secret) => bytesOf(secret.trim()),
    verify({ headers, body, receivedMs }, key) {
      const parts = onlyValue(headers, this.proofs[0])
        .split(',')
        .map((part) => part.trim());
      const valuesNamed = (name: string) =>
        parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []));
      const [time = '', ...otherTimes] = valuesNamed('t');
      const sent = valuesNamed('v1').slice(0, mostSignatures);
      if (otherTimes.length > 0 || !isSeconds(time)) return refused('wrong-signature');
      const expected = hmac(key, [`${time}.`, body]);
      if (!isAnySame(sent.map(fromHex), expected)) return refused('wrong-signature');
      if (isLate(time, receivedMs)) return refused('too-old');
      // The id is part of the signed body. A repeated attempt of the sender has the same id, but another signature.
      const id = idInBody(body);
      return verified(id ?? `v1:${expected.toString('hex')}`, id);
    },
  },
  standard: {
    proofs: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    ids: ['webhook-id'],
    // A full stop separates the signed parts.
    isId: (text) => isId(text) && !text.includes('.'),
    keyOf: (secret) => fromBase64(secret.trim().replace(/^whsec_/, '')),
    verify({ headers, body, receivedMs }, key) {
      const id = idIn(headers, this.ids);
      const time = onlyValue(headers, 'webhook-timestamp');
      if (!isSeconds(time)) return refused('wrong-signature');
      const sent = onlyValue(headers, 'webhook-signature')
        .split(' ')
        .flatMap((part) => (part.startsWith('v1,') ? [part.slice('v1,'.length)] : []))
        .slice(0, mostSignatures);
      const expected = hmac(key, [`${id}.${time}.`, body]);
      if (
        !isAnySame(
          sent.map((one) => Buffer.from(one, 'base64')),
          expected,
        )
      )
        return refused('wrong-signature');
      if (isLate(time, receivedMs)) return refused('too-old');
      return verified(id, id);
    },
  },
  token: {
    proofs: ['authorization'],
    ids: ['idempotency-key', 'webhook-id', 'x-github-delivery'],
    isId,
    keyOf: (secret) => bytesOf(secret.trim()),
    verify({ headers }, key) {
      // Node decodes header values as latin1, one character per byte.
      const sent = Buffer.from(onlyValue(headers, this.proofs[0]).trim(), 'latin1');
      const bare = Buffer.from(sent.toString('latin1').replace(/^Bearer +/i, ''), 'latin1');
      // Hashes have the same length, so the comparison does not reveal the length of the token.
      const expected = sha256(key);
      const isKnown = [isSame(sha256(bare), expected), isSame(sha256(sent), expected)].includes(true);
      if (!isKnown) return refused('wrong-signature');
      const id = idIn(headers, this.ids);
      return verified(id, id);
    },
  },
};

/**
 * Judges the headers of a delivery before its body is read; null: they can be verified. An id that Hob cannot use would start a run for
 * each repetition.
 */
export function checkHeaders(scheme: SignatureScheme, headers: HeaderList): Refused | null {
  const { proofs, ids, isId: isUsable } = schemes[scheme];
  const isTwice = (name: string) => valuesOf(headers, name).length > 1;
  const twice = proofs.find(isTwice);
  if (twice !== undefined) return refused('malformed', twice);
  const missing = proofs.find((name) => onlyValue(headers, name).trim() === '');
  if (missing !== undefined) return refused('no-signature', missing);
  const unusable = ids.find((name) => isTwice(name) || !idsIn(headers, [name]).every(isUsable));
  return unusable === undefined ? null : refused('malformed', unusable);
}

/** Whether the body matters for the decision. A token proves the sender before the body has arrived. */
export function needsBody(scheme: SignatureScheme): boolean {
  return scheme !== 'token';
}

export function verify(scheme: SignatureScheme, secret: string, delivery: Delivery): Verification {
  const unusable = checkHeaders(scheme, delivery.headers);
  if (unusable !== null) return unusable;
  const key = schemes[scheme].keyOf(secret);
  return key === null || key.length === 0
    ? refused('wrong-signature')
    : schemes[scheme].verify(delivery, key);
}

/** Why a stored secret cannot be used with a scheme; null if it can. */
export function secretProblem(
  scheme: SignatureScheme,
  secret: string,
  name: string,
): Omit<TriggerProblem, 'field'> | null {
  const key = schemes[scheme].keyOf(secret);
  if (key !== null && key.length > 0) return null;
  const message: Text =
    key === null
      ? {
          en: `The secret "${name}" is not base64, as signature = "standard" requires`,
          zh: `密钥“${name}”不是 signature = "standard" 要求的 base64 文本`,
        }
      : { en: `The secret "${name}" is empty`, zh: `密钥“${name}”为空` };
  return {
    message,
    advice: {
      en: `Store the secret that the sender shows: \`hob secret set ${name}\`.`,
      zh: `请保存发送方给出的密钥：hob secret set ${name}。`,
    },
  };
}

function verified(replayKey: string | null, deliveryId: string | null): Verified {
  return { kind: 'verified', replayKey, deliveryId };
}

function refused(reason: Refused['reason'], header?: string): Refused {
  return { kind: 'refused', reason, ...(header !== undefined && { header }) };
}

function hmac(key: Buffer, parts: readonly (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function isSame(sent: Buffer, expected: Buffer): boolean {
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

/** Compares all of them, so that the time does not reveal which one matches. */
function isAnySame(sent: readonly Buffer[], expected: Buffer): boolean {
  return sent.map((one) => isSame(one, expected)).includes(true);
}

function fromHex(text: string): Buffer {
  return Buffer.from(/^[0-9a-f]*$/i.test(text) ? text : '', 'hex');
}

function fromBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/** An editor or `echo` adds a line break. Spaces may be part of the secret. */
function withoutLineBreak(secret: string): string {
  return secret.replace(/[\r\n]+$/, '');
}

function isSeconds(text: string): boolean {
  return /^\d{1,12}$/.test(text);
}

function isLate(seconds: string, nowMs: number): boolean {
  return Math.abs(Number(seconds) * 1000 - nowMs) > toleranceMs;
}

/** Printable ASCII, with spaces inside. */
function isId(text: string): boolean {
  return text.length <= longestId && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

function idIn(headers: HeaderList, names: readonly string[]): string | null {
  return idsIn(headers, names)[0] ?? null;
}

/** The values of these headers. One without text counts as absent. */
function idsIn(headers: HeaderList, names: readonly string[]): string[] {
  const values = names.flatMap((name) => valuesOf(headers, name));
  return values.map(trimmed).filter((value) => value !== '');
}

/** Without the white space that HTTP allows around a value. Other control characters stay, so that they are noticed. */
function trimmed(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, '');
}

function idInBody(body: Buffer): string | null {
  const content = tryParseJson(body.toString('utf8'));
  const id = isJsonObject(content) ? content.id : null;
  return typeof id === 'string' && isId(id) ? id : null;
}
