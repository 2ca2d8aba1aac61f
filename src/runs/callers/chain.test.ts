import { describe, expect, it } from 'vitest';

import { AppError } from '../../shared/errors.ts';
import { depthOfExecute, depthOfLink, hashToken, identifyCaller, maxDepth, newToken } from '../run.ts';
import type { RunStore, TokenOwner } from '../run-store.ts';

/** A store that knows one token and records the hashes it is asked for. */
function storeWith(token: string, owner: TokenOwner): { store: RunStore; asked: string[] } {
  const asked: string[] = [];
  const unused = (): never => {
    throw new Error('not needed here');
  };
  const findByToken = (hash: string) => {
    asked.push(hash);
    return hash === hashToken(token) ? owner : null;
  };
  const store = {
    isOpen: true,
    atomically: unused,
    settle: unused,
    findBrief: unused,
    insert: unused,
    markStarted: unused,
    recordLeftRunning: unused,
    has: unused,
    finish: unused,
    find: unused,
    setNextAttempt: unused,
    lastAttempt: unused,
    attempts: unused,
    awaiting: unused,
    unfinished: unused,
    findByToken,
  };
  return { store, asked };
}

function codeOf(action: () => unknown): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe('a run token', () => {
  it('is long, random and usable in a path', () => {
    const tokens = new Set(Array.from({ length: 200 }, newToken));
    expect(tokens.size).toBe(200);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  it('is looked up by its hash, which does not reveal it', () => {
    const token = newToken();
    const { store, asked } = storeWith(token, { runId: 'r', depth: 3 });
    expect(identifyCaller(token, store)).toEqual({ runId: 'r', depth: 3 });
    expect(asked).toEqual([hashToken(token)]);
    expect(hashToken(token)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashToken(token)).not.toContain(token);
  });

  it('is refused if it belongs to no run', () => {
    const { store } = storeWith(newToken(), { runId: 'r', depth: 0 });
    expect(codeOf(() => identifyCaller(newToken(), store))).toBe('run-token-unknown');
  });

  it.each([
    '',
    'x',
    '../../etc',
    `${'a'.repeat(32)}\n`,
    'a'.repeat(33),
    'a'.repeat(31),
    `${'a'.repeat(31)}%`,
  ])('of a wrong form is refused without a lookup: %j', (token) => {
    const { store, asked } = storeWith(token, { runId: 'r', depth: 0 });
    expect(codeOf(() => identifyCaller(token, store))).toBe('run-token-unknown');
    expect(asked).toEqual([]);
  });

  it('does not appear in the refusal', () => {
    const { store } = storeWith(newToken(), { runId: 'r', depth: 0 });
    const token = newToken();
    try {
      identifyCaller(token, store);
      expect.unreachable();
    } catch (error) {
      expect(
        error instanceof AppError ? JSON.stringify([error.text, error.hint, error.stack]) : '',
      ).not.toContain(token);
    }
  });
});

describe('the depth of a chain', () => {
  const at = (depth: number): TokenOwner => ({ runId: 'r', depth });

  it('is one for a link from outside', () => {
    expect(depthOfLink(null)).toBe(1);
  });

  it('grows by one with every link, up to eight', () => {
    expect(maxDepth).toBe(8);
    for (let depth = 0; depth < 8; depth++) expect(depthOfLink(at(depth))).toBe(depth + 1);
  });

  it('is refused at the ninth level with a message that names the limit', () => {
    for (const depth of [8, 9, 100]) expect(codeOf(() => depthOfLink(at(depth)))).toBe('chain-too-deep');
    expect(() => depthOfLink(at(8))).toThrow(/over 8 levels.*blocked/);
  });

  it('is zero for execute from outside, and the depth of the caller from inside a run', () => {
    expect(depthOfExecute(null)).toBe(0);
    for (const depth of [0, 3, 8]) expect(depthOfExecute(at(depth))).toBe(depth);
  });

  it('is not reduced by an execute between two links', () => {
    const first = depthOfLink(null);
    const between = depthOfExecute(at(first));
    expect(depthOfLink(at(between))).toBe(2);
  });
});
