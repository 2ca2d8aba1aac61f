import type { KeyOwner, KeyStore, KeyUse } from '../../src/runs/keys/key-store.ts';

/** Keys in memory, for tests that need no disk. It passes the same contract as the store on disk. */
export class MemoryKeyStore implements KeyStore {
  readonly #uses = new Map<string, KeyUse & { runId: string; usedAt: string }>();

  readonly #isUnfinished: (runId: string) => boolean;

  constructor(isUnfinished: (runId: string) => boolean = () => false) {
    this.#isUnfinished = isUnfinished;
  }

  find(use: Pick<KeyUse, 'scriptId' | 'keyHash'>, since: string): KeyOwner | null {
    const found = this.#uses.get(nameOf(use));
    return found === undefined || this.#isTooOld(found, since)
      ? null
      : { runId: found.runId, bodyMac: found.bodyMac };
  }

  put(use: KeyUse, { runId, usedAt, since }: { runId: string; usedAt: string; since: string }): void {
    for (const [name, old] of this.#uses) if (this.#isTooOld(old, since)) this.#uses.delete(name);
    this.#uses.set(nameOf(use), { ...use, runId, usedAt });
  }

  isHeld(runId: string): boolean {
    return [...this.#uses.values()].some((use) => use.runId === runId);
  }

  release(runId: string): void {
    for (const [name, use] of this.#uses) if (use.runId === runId) this.#uses.delete(name);
  }

  #isTooOld({ runId, usedAt }: { runId: string; usedAt: string }, since: string): boolean {
    return usedAt < since && !this.#isUnfinished(runId);
  }
}

function nameOf({ scriptId, keyHash }: Pick<KeyUse, 'scriptId' | 'keyHash'>): string {
  return `${keyHash} ${scriptId}`;
}
