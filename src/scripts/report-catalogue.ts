import type { Logger } from '../shared/log.ts';
import type { Catalogue } from './catalogue.ts';

/** Logs the number of scripts and their problems: at the start, and after each change. */
export class CatalogueReport {
  readonly #catalogue: Catalogue;
  readonly #log: Logger;
  #known = new Set<string>();
  #count: number | undefined;
  #faultyFiles = 0;

  constructor(catalogue: Catalogue, log: Logger) {
    this.#catalogue = catalogue;
    this.#log = log;
  }

  /** Usable scripts and faulty files at the last update. */
  get counts(): { scripts: number; faultyFiles: number } {
    return { scripts: this.#count ?? 0, faultyFiles: this.#faultyFiles };
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
    this.#faultyFiles = new Set(errors.map(({ file }) => file)).size;
    const count = this.#catalogue.scripts().length;
    if (count !== this.#count) this.#log.info({ scripts: count }, 'scripts loaded');
    this.#count = count;
  }
}
