import { type BigIntStats, lstat, stat } from 'node:fs';

import { errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';

/** Limits memory use, because callers can ask for models that do not exist. The oldest findings are dropped first. */
const mostFindings = 5000;

/** Files that change all the time, such as a running download, are searched at most this often. Then the last result is used. */
const mostSearches = 4;

interface Search<Value> {
  readonly finding: Promise<Finding<Value>>;
  /** Starts when this search has ended. */
  next: Promise<Finding<Value>> | null;
}

/** Caches findings. Each call checks that the files a finding depends on have not changed. */
export class Memory<Value> {
  readonly #findings = new Map<string, Finding<Value>>();
  readonly #searches = new Map<string, Search<Value>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async recall(key: string, search: (witness: Witness) => Promise<Value>): Promise<Value> {
    const known = this.#findings.get(key);
    if (known?.isSettled && (await isUnchanged(known))) return known.value;
    return (await this.#search(key, search)).value;
  }

  /**
   * Runs one search at a time per key. A call during a search waits for the next search, because the current one may have
   * read old state.
   */
  #search(key: string, search: (witness: Witness) => Promise<Value>): Promise<Finding<Value>> {
    const current = this.#searches.get(key);
    if (current !== undefined) {
      const again = () => this.#search(key, search);
      current.next ??= current.finding.then(again, again);
      return current.next;
    }
    const finding = this.#find(key, search);
    this.#searches.set(key, { finding, next: null });
    return finding;
  }

  async #find(key: string, search: (witness: Witness) => Promise<Value>): Promise<Finding<Value>> {
    try {
      const finding = await this.#findWhole(search);
      this.#findings.delete(key);
      this.#findings.set(key, finding);
      for (const [oldest] of this.#findings) {
        if (this.#findings.size <= mostFindings) break;
        this.#findings.delete(oldest);
      }
      return finding;
    } catch (error) {
      const errno = errnoOf(error);
      throw isExhaustion(errno) ? exhaustedError(errno, error) : error;
    } finally {
      this.#searches.delete(key);
    }
  }

  /** Repeats a search if a file changed during it, because the result may mix old and new state. */
  async #findWhole(search: (witness: Witness) => Promise<Value>): Promise<Finding<Value>> {
    for (let count = 1; ; count++) {
      const witness = new Witness(this.#now);
      const value = await search(witness);
      const finding = { value, sights: witness.sights, isSettled: witness.isSettled };
      if (count === mostSearches || (await isUnchanged(finding))) return finding;
    }
  }
}

/** The observed state of a path: identity, size and times of the file. */
interface Sight {
  readonly follow: boolean;
  readonly fingerprint: string;
}

/** A value, and the observed paths. The value is valid while none of them has changed. */
interface Finding<Value> {
  readonly value: Value;
  readonly sights: ReadonlyMap<string, Sight>;
  /**
   * Whether every later change will be detected. A file changed a moment ago could change again within the same tick of the
   * disk's clock.
   */
  readonly isSettled: boolean;
}

/** The coarsest clock of a file system, that of FAT, ticks every two seconds. */
const settleMs = 2500;

/** Records the state of the paths that a finding depends on. Look at a path before reading it, so that a change in between is detected. */
export class Witness {
  readonly sights = new Map<string, Sight>();
  readonly #now: () => number;
  isSettled = true;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The stats of a path, or null if it cannot be read. With `follow`, of the target of a link. */
  async look(path: string, { follow = false } = {}): Promise<BigIntStats | null> {
    const seen = await see(path, follow);
    this.note(path, seen, follow);
    return typeof seen === 'string' ? null : seen;
  }

  note(path: string, seen: BigIntStats | string, follow: boolean): void {
    this.sights.set(path, { follow, fingerprint: fingerprintOf(seen) });
    if (typeof seen === 'string') return;
    // ctime, because programs can set mtime to any value.
    if (this.#now() - Number(seen.ctimeMs) < settleMs) this.isSettled = false;
  }
}

async function isUnchanged({ sights }: Pick<Finding<unknown>, 'sights'>): Promise<boolean> {
  const looks = Array.from(sights, async ([path, { follow, fingerprint }]) => {
    return fingerprintOf(await see(path, follow)) === fingerprint;
  });
  return (await Promise.all(looks)).every(Boolean);
}

export function see(path: string, follow: boolean): Promise<BigIntStats | string> {
  // The callback API takes a third of the time of promises, and each request for a model path needs a dozen calls.
  return new Promise((resolve, reject) => {
    (follow ? stat : lstat)(path, { bigint: true }, (error, stats) => {
      if (error === null) return resolve(stats);
      const errno = errnoOf(error);
      // The error does not mean that the path is missing.
      if (errno === undefined || isExhaustion(errno)) return reject(error);
      resolve(errno);
    });
  });
}

function fingerprintOf(seen: BigIntStats | string): string {
  if (typeof seen === 'string') return seen;
  return `${seen.dev}:${seen.ino}:${seen.mode}:${seen.size}:${seen.mtimeNs}:${seen.ctimeNs}`;
}
