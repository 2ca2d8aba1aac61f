import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { ExplainedError, errnoOf } from './errors.ts';
import { createPrivateFile, PrivateFileFault, readPrivateFile, replacePrivateFile } from './private-files.ts';
import type { Text } from './text.ts';

const tokenBytes = 32;
/** A token that can follow `Bearer`. A user who writes the file may choose a longer or shorter token than Hob does. */
const tokenPattern = /^[A-Za-z0-9._~+/-]{20,500}=*$/;
const largestFileBytes = 4096;

/** The token of a home cannot be used, for a reason that the user can fix. */
export class TokenError extends ExplainedError {}

export function tokenFileOf(home: string): string {
  return join(home, 'token');
}

/** Returns the token of a home, or null if it has none yet. Throws a `TokenError` if the token is not safe to use. */
export function readToken(home: string): string | null {
  try {
    const text = readPrivateFile(tokenFileOf(home), { maxBytes: largestFileBytes })?.trim();
    if (text === undefined) return null;
    if (tokenPattern.test(text)) return text;
  } catch (error) {
    if (error instanceof PrivateFileFault) throw unusable(home, error.text);
    throw error;
  }
  throw unusable(home, {
    en: 'does not contain a token of at least 20 characters',
    zh: '中没有至少 20 个字符的令牌',
  });
}

function unusable(home: string, fault: Text): TokenError {
  const renew = `hob token --renew --home "${home}"`;
  return new TokenError({
    en: `The token file ${tokenFileOf(home)} ${fault.en}. Create a new one: ${renew}`,
    zh: `令牌文件 ${tokenFileOf(home)} ${fault.zh}。请重新生成：${renew}`,
  });
}

/** Returns the token of a home. Creates it if there is none. */
export async function ensureToken(home: string): Promise<string> {
  const existing = readToken(home);
  if (existing !== null) return existing;
  const token = newToken();
  try {
    await createPrivateFile(tokenFileOf(home), `${token}\n`);
    return token;
  } catch (error) {
    // Another process created the token first.
    if (errnoOf(error) === 'EEXIST') return ensureToken(home);
    throw error;
  }
}

/** Replaces the token. The old one becomes invalid. */
export async function renewToken(home: string): Promise<string> {
  const token = newToken();
  await replacePrivateFile(tokenFileOf(home), `${token}\n`);
  return token;
}

function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}
