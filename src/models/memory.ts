import { errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import { type Finding, isUnchanged, Witness } from './evidence.ts';

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

  async recall(key: string, search: (witness: Witness) => Promise<Value>): Promise<Finding<Value>> {
    const known = this.#findings.get(key);
    if (known?.isSettled && (await isUnchanged(known))) return known;
    return this.#search(key, search);
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
