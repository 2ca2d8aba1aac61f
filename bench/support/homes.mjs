import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { fillHistory } from './fill-history.mjs';

/** What was written is on the disk afterwards: a system that still has a gigabyte to write holds up everybody who writes. */
export function settle() {
  spawnSync('sync');
}

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
    settle();
    this.#made.set(runs, home);
    return home;
  }
}
