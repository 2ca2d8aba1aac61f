import { createHash, randomFillSync } from 'node:crypto';

import { AppError } from '../../shared/errors.ts';
import type { RunStore, TokenOwner } from '../run-store.ts';

/** The maximum depth of a chain of links. A deeper link is refused. */
export const maxDepth = 8;

const tokenBytes = 24;
const tokenPattern = /^[A-Za-z0-9_-]{32}$/;

/** The run that the token of a request identifies; null if the caller is not a run. */
export type Caller = TokenOwner | null;

/** Random bytes for several tokens: a system call for each token takes longer than all the other work. */
const random = Buffer.alloc(64 * tokenBytes);
let used = random.length;

export function newToken(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const bytes = random.subarray(used, used + tokenBytes);
  used += tokenBytes;
  const token = bytes.toString('base64url');
  // Keep no copy of a token that is in use.
  bytes.fill(0);
  return token;
}

/** Tokens are stored as hashes, so that a reader of the database cannot impersonate a run. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Returns the run that owns a token from the address, even after that run has ended: ending must not shorten its chain. */
export function identifyCaller(token: string, store: Pick<RunStore, 'findByToken'>): TokenOwner {
  const owner = tokenPattern.test(token) ? store.findByToken(hashToken(token)) : null;
  if (owner !== null) return owner;
  throw new AppError('run-token-unknown', {
    en: 'The run token in this address belongs to no known run.',
    zh: '地址中的运行令牌无效。',
  });
}

/** Whether a token from the address belongs to a run that has not ended. Only such a token authenticates the caller. */
export function isLiveToken(token: string, store: Pick<RunStore, 'findByToken' | 'findBrief'>): boolean {
  const owner = tokenPattern.test(token) ? store.findByToken(hashToken(token)) : null;
  return owner !== null && store.findBrief(owner.runId)?.endedAt === null;
}

/** The depth of a run that `caller` starts with a link. */
export function depthOfLink(caller: Caller): number {
  const depth = (caller?.depth ?? 0) + 1;
  if (depth <= maxDepth) return depth;
  throw new AppError('chain-too-deep', {
    en: `The chain of linked calls is too deep (over ${maxDepth} levels) and was blocked.`,
    zh: `联动调用链过深（超过${maxDepth}层），已被阻止`,
  });
}

/** A script started with `execute` from inside a run has the depth of that run. */
export function depthOfExecute(caller: Caller): number {
  return caller?.depth ?? 0;
}
