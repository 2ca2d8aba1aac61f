import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from './until.ts';

const mib = 1024 * 1024;

export interface Held {
  readonly heapMib: number;
  /** Memory of buffers outside the heap. */
  readonly externalMib: number;
  readonly residentMib: number;
}

/** Measures how much memory a Node process uses after a garbage collection. */
export class HeapProbe {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, 'memory.json');
  }

  /** Environment for the process. */
  get env(): Record<string, string> {
    const probe = new URL('./heap-probe.mjs', import.meta.url);
    return { NODE_OPTIONS: `--import ${probe.href}`, HEAP_PROBE_FILE: this.#file };
  }

  async measure(pid: number): Promise<Held> {
    await rm(this.#file, { force: true });
    process.kill(pid, 'SIGUSR2');
    const text = await until('the process has reported its memory', () =>
      readFile(this.#file, 'utf8').catch(() => undefined),
    );
    const { heapUsed, external, rss }: NodeJS.MemoryUsage = JSON.parse(text);
    return { heapMib: heapUsed / mib, externalMib: external / mib, residentMib: rss / mib };
  }
}
