import { busy } from './refusals.ts';

/** Who is at work on which package: one at a time. Cleaning up yields to all others, who wait for it only to let go. */
export class Claims {
  readonly #taken = new Set<string>();
  readonly #cleaning = new Map<string, Promise<void>>();

  /** Refuses when somebody else has the package. Returns what gives it back. */
  take(id: string): () => void {
    if (this.#taken.has(id)) throw busy(id);
    this.#taken.add(id);
    let isBack = false;
    return () => {
      if (!isBack) this.#taken.delete(id);
      isBack = true;
    };
  }

  /** Resolves when nobody cleans up there any more; nobody begins to as long as the package is taken. */
  async settled(id: string): Promise<void> {
    await this.#cleaning.get(id);
  }

  /** Cleans up, unless somebody is at work there. */
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
