import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';

import { ExplainedError, errnoOf } from './errors.ts';
import { createPrivateFile, forOthers, replacePrivateFile } from './private-files.ts';
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
  const path = tokenFileOf(home);
  let descriptor: number;
  try {
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw unusable(home, errnoOf(error) === 'ELOOP' ? { en: 'is a link', zh: '是链接' } : unreadable(error));
  }
  try {
    const found = fstatSync(descriptor);
    const fault = faultOf(found);
    if (fault !== null) throw unusable(home, fault);
    const text = found.size > largestFileBytes ? '' : readFileSync(descriptor, 'latin1').trim();
    if (tokenPattern.test(text)) return text;
    throw unusable(home, {
      en: 'does not contain a token of at least 20 characters',
      zh: '中没有至少 20 个字符的令牌',
    });
  } catch (error) {
    if (error instanceof TokenError) throw error;
    throw unusable(home, unreadable(error));
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(error: unknown): Text {
  return { en: `cannot be read (${errnoOf(error)})`, zh: `无法读取（${errnoOf(error)}）` };
}

function unusable(home: string, fault: Text): TokenError {
  const renew = `hob token --renew --home "${home}"`;
  return new TokenError({
    en: `The token file ${tokenFileOf(home)} ${fault.en}. Create a new one: ${renew}`,
    zh: `令牌文件 ${tokenFileOf(home)} ${fault.zh}。请重新生成：${renew}`,
  });
}

/** Returns why other users may have read or written a file; null if they cannot. */
function faultOf(found: Stats): Text | null {
  if (!found.isFile()) return { en: 'is not a regular file', zh: '不是文件' };
  if (process.geteuid === undefined) return null;
  if (found.uid !== process.geteuid() && found.uid !== 0)
    return { en: 'belongs to another user', zh: '属于其他用户' };
  if ((found.mode & forOthers) === 0) return null;
  return { en: 'can be read by other users', zh: '可以被所有者以外的用户读取' };
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
