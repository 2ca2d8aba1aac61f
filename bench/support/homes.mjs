import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { fillHistory } from './fill-history.mjs';

/** Flushes all writes to the disk. Pending gigabytes would slow down the writes of the measurement. */
export function settle() {
  spawnSync('sync');
}

/** Homes with a history, created on first use. */
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
