import { createHash, randomFillSync } from 'node:crypto';

import { AppError } from '../../shared/errors.ts';
import type { RunStore, TokenOwner } from '../run-store.ts';

/** A chain of links may be this deep; one level more is refused. */
export const maxDepth = 8;

const tokenBytes = 24;
const tokenPattern = /^[A-Za-z0-9_-]{32}$/;

/** Who is calling: the run that its token names, or nobody we know. */
export type Caller = TokenOwner | null;

/** Enough for some tokens: asking the system takes longer than all the rest. */
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
  // It is nobody's but the run's from here on.
  bytes.fill(0);
  return token;
}

/** Tokens are stored hashed: whoever reads the database cannot speak for a run. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The run that a token from the address belongs to, also after that run has ended: its chain does not get shorter by that. */
export function identifyCaller(token: string, store: Pick<RunStore, 'findByToken'>): TokenOwner {
  const owner = tokenPattern.test(token) ? store.findByToken(hashToken(token)) : null;
  if (owner !== null) return owner;
  throw new AppError('run-token-unknown', {
    en: 'The run token in this address belongs to no known run.',
    zh: '地址中的运行令牌无效。',
  });
}

/** Whether a token from the address belongs to a run that has not ended: only then it proves who is calling. */
export function isLiveToken(token: string, store: Pick<RunStore, 'findByToken' | 'findBrief'>): boolean {
  const owner = tokenPattern.test(token) ? store.findByToken(hashToken(token)) : null;
  return owner !== null && store.findBrief(owner.runId)?.endedAt === null;
}

/** The depth of a run that `caller` starts by a link. */
export function depthOfLink(caller: Caller): number {
  const depth = (caller?.depth ?? 0) + 1;
  if (depth <= maxDepth) return depth;
  throw new AppError('chain-too-deep', {
    en: `The chain of linked calls is too deep (over ${maxDepth} levels) and was blocked.`,
    zh: `联动调用链过深（超过${maxDepth}层），已被阻止`,
  });
}

/** Starting a script from inside a run makes its chain no deeper and no shallower. */
export function depthOfExecute(caller: Caller): number {
  return caller?.depth ?? 0;
}
