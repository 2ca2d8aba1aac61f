import type { IncomingMessage } from 'node:http';

import { AppError } from '../shared/errors.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request, or null. */
export function readIdempotencyKey({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): string | null {
  const values = headersDistinct['idempotency-key'] ?? [];
  const [key, second] = values;
  if (key === undefined) return null;
  if (second === undefined && keyPattern.test(key)) return key;
  // The text does not contain the key, because clients may treat it as a secret.
  throw new AppError('idempotency-key-invalid', {
    en: 'Idempotency-Key must be sent once and consist of 1 to 255 visible ASCII characters (no spaces).',
    zh: 'Idempotency-Key 只能发送一次，且应为 1 到 255 个可见 ASCII 字符（不含空格）。',
  });
}
