import { existsSync, readFileSync } from 'node:fs';

const file = '/proc/stat';

/** What a virtual machine was kept waiting for its processors since it began to be watched; null where the system does not tell. */
export class Stolen {
  #before = readTicks();

  get percent() {
    const now = readTicks();
    return now && (100 * (now.stolen - this.#before.stolen)) / Math.max(1, now.all - this.#before.all);
  }
}

function readTicks() {
  if (!existsSync(file)) return null;
  const [, line] = /^cpu +(.*)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  const ticks = (line ?? '').split(' ').map(Number);
  // user, nice, system, idle, iowait, irq, softirq, steal; those of guests are counted as user already.
  const own = ticks.slice(0, 8);
  return { stolen: own[7] ?? 0, all: own.reduce((sum, each) => sum + each, 0) };
}
