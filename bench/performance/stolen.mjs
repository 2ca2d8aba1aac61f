import { existsSync, readFileSync } from 'node:fs';

const file = '/proc/stat';

/** Share of the processor time that the hypervisor gave to other machines since this object was created; null if unknown. */
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
  // user, nice, system, idle, iowait, irq, softirq, steal. User time already includes guest time.
  const own = ticks.slice(0, 8);
  return { stolen: own[7] ?? 0, all: own.reduce((sum, each) => sum + each, 0) };
}
