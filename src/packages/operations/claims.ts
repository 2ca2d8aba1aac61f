import { busy } from './refusals.ts';

/** Exclusive claims on packages. Cleanup yields to all other operations, which wait only until it has stopped. */
export class Claims {
  readonly #taken = new Set<string>();
  readonly #cleaning = new Map<string, Promise<void>>();

  /** Throws if another operation owns the package. Returns the function that releases it. */
  take(id: string): () => void {
    if (this.#taken.has(id)) throw busy(id);
    this.#taken.add(id);
    let isBack = false;
    return () => {
      if (!isBack) this.#taken.delete(id);
      isBack = true;
    };
  }

  /** Resolves when no cleanup is running; none starts while the package is claimed. */
  async settled(id: string): Promise<void> {
    await this.#cleaning.get(id);
  }

  /** Cleans up, unless an operation owns the package. */
  async clean(id: string, work: () => Promise<void>): Promise<void> {
    if (this.#taken.has(id) || this.#cleaning.has(id)) return;
    const cleaning = work();
    this.#cleaning.set(
      id,
      cleaning.catch(() => {}),
    );
    try {
      await cleaning;
    } finally {
      this.#cleaning.delete(id);
    }
  }
}
