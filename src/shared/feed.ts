/** A list of listeners for one kind of event. A listener must not throw: the publisher calls it synchronously. */
export class Feed<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  publish(event: Event): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
