import { errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import { type Finding, isUnchanged, Witness } from './evidence.ts';

/** Anybody can ask for models that do not exist: what was found for those who asked first is forgotten first. */
const mostFindings = 5000;

/** What changes all the time, such as a download under way, is told as it was last seen. */
const mostSearches = 4;

interface Search<Value> {
  readonly finding: Promise<Finding<Value>>;
  /** Begins when this one has ended. */
  next: Promise<Finding<Value>> | null;
}

/** Remembers findings for as long as what they rest on has not changed, which is looked at each time. */
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

  /** One search at a time for a key. Whoever comes while it is under way waits for the next: this one may have looked too early. */
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

  /** Looks again when something changed during the search: what was seen of it then may never have been there together. */
  async #findWhole(search: (witness: Witness) => Promise<Value>): Promise<Finding<Value>> {
    for (let count = 1; ; count++) {
      const witness = new Witness(this.#now);
      const value = await search(witness);
      const finding = { value, sights: witness.sights, isSettled: witness.isSettled };
      if (count === mostSearches || (await isUnchanged(finding))) return finding;
    }
  }
}
