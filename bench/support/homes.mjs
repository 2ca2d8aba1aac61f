import { join } from 'node:path';

import { fillHistory } from './fill-history.mjs';

/** Homes with a history, made when they are first asked for. */
export class Homes {
  #folder;
  #made = new Map();

  constructor(folder) {
    this.#folder = folder;
  }

  withHistory(runs) {
    const known = this.#made.get(runs);
    if (known !== undefined) return known;
    const home = join(this.#folder, `runs-${runs}`);
    fillHistory(home, runs);
    this.#made.set(runs, home);
    return home;
  }
}
