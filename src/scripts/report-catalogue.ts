import type { Logger } from '../shared/log.ts';
import type { Catalogue } from './catalogue.ts';

/** Tells the log how many scripts there are and what is wrong with them: at the start, and whenever that changes. */
export class CatalogueReport {
  readonly #catalogue: Catalogue;
  readonly #log: Logger;
  #known = new Set<string>();
  #count: number | undefined;

  constructor(catalogue: Catalogue, log: Logger) {
    this.#catalogue = catalogue;
    this.#log = log;
  }

  async update(): Promise<void> {
    const errors = (await this.#catalogue.problems()).filter(({ severity }) => severity === 'error');
    const places = new Set<string>();
    for (const { file, line, message, advice } of errors) {
      const place = line === null ? file : `${file}:${line}`;
      const text = `${place}: ${message.en}. ${advice.en}`;
      places.add(text);
      if (!this.#known.has(text)) this.#log.warn(text);
    }
    this.#known = places;
    const count = this.#catalogue.scripts().length;
    if (count !== this.#count) this.#log.info({ scripts: count }, 'scripts loaded');
    this.#count = count;
  }
}
