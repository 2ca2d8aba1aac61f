import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';

import { errnoOf } from './errors.ts';
import { createPrivateFile, forOthers, replacePrivateFile } from './private-files.ts';

const tokenBytes = 32;
/** What can be sent behind `Bearer`. Whoever writes the file by hand may choose something longer or shorter than we do. */
const tokenPattern = /^[A-Za-z0-9._~+/-]{20,500}=*$/;
const largestFileBytes = 4096;

/** The token of a home cannot be used, for a reason that its user can do something about. */
export class TokenError extends Error {}

export function tokenFileOf(home: string): string {
  return join(home, 'token');
}

/** The token of a home, or null when it has none yet. Throws a `TokenError` when there is one that nobody should rely on. */
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
    throw unusable(home, errnoOf(error) === 'ELOOP' ? 'is a link' : `cannot be read (${errnoOf(error)})`);
  }
  try {
    const found = fstatSync(descriptor);
    const fault = faultOf(found);
    if (fault !== null) throw unusable(home, fault);
    const text = found.size > largestFileBytes ? '' : readFileSync(descriptor, 'latin1').trim();
    if (tokenPattern.test(text)) return text;
    throw unusable(home, 'holds no token of at least 20 characters');
  } catch (error) {
    if (error instanceof TokenError) throw error;
    throw unusable(home, `cannot be read (${errnoOf(error)})`);
  } finally {
    closeSync(descriptor);
  }
}

function unusable(home: string, fault: string): TokenError {
  return new TokenError(
    `The token file ${tokenFileOf(home)} ${fault}. Make a new one: hob token --renew --home "${home}"`,
  );
}

/** Why a file is not one that only its user can have read or written. */
function faultOf(found: Stats): string | null {
  if (!found.isFile()) return 'is not a file';
  if (process.geteuid === undefined) return null;
  if (found.uid !== process.geteuid() && found.uid !== 0) return 'belongs to another user';
  return (found.mode & forOthers) === 0 ? null : 'can be read by others than its owner';
}

/** The token of a home, which is made when there is none. */
export async function ensureToken(home: string): Promise<string> {
  const existing = readToken(home);
  if (existing !== null) return existing;
  const token = newToken();
  try {
    await createPrivateFile(tokenFileOf(home), `${token}\n`);
    return token;
  } catch (error) {
    // Another process was quicker.
    if (errnoOf(error) === 'EEXIST') return ensureToken(home);
    throw error;
  }
}

/** Puts a new token in the place of the old one, which is of no use from then on. */
export async function renewToken(home: string): Promise<string> {
  const token = newToken();
  await replacePrivateFile(tokenFileOf(home), `${token}\n`);
  return token;
}

function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}
