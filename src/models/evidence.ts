import { type BigIntStats, lstat, stat } from 'node:fs';

import { errnoOf, isExhaustion } from '../shared/errors.ts';

/** What was seen at a path: which file it is, how large, and when it last changed. */
interface Sight {
  /** Whether a link is followed to what it leads to. */
  readonly follow: boolean;
  readonly print: string;
}

/** A value, and the paths that have to look as they did for it to hold. */
export interface Finding<Value> {
  readonly value: Value;
  readonly sights: ReadonlyMap<string, Sight>;
  /** Whether a later change is sure to show: what was changed a moment ago could be changed again within the same tick of the disk's clock. */
  readonly isSettled: boolean;
}

/** The coarsest clock of a disk in use, that of FAT, ticks every two seconds. */
const settleMs = 2500;

/** Looks at paths on behalf of a finding, and keeps what it saw as its evidence. Look first, then read: a change in between shows. */
export class Witness {
  readonly sights = new Map<string, Sight>();
  readonly #now: () => number;
  isSettled = true;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What is at a path; null when there is nothing to be seen. A link is what it leads to if it is to be followed. */
  async look(path: string, { follow = false } = {}): Promise<BigIntStats | null> {
    const seen = await see(path, follow);
    this.note(path, seen, follow);
    return typeof seen === 'string' ? null : seen;
  }

  note(path: string, seen: BigIntStats | string, follow: boolean): void {
    this.sights.set(path, { follow, print: printOf(seen) });
    if (typeof seen === 'string') return;
    // Not the time of modification, which anybody can set to anything.
    if (this.#now() - Number(seen.ctimeMs) < settleMs) this.isSettled = false;
  }

  /** What another finding rests on, this one rests on, too. */
  adopt<Value>({ value, sights, isSettled }: Finding<Value>): Value {
    for (const [path, sight] of sights) this.sights.set(path, sight);
    this.isSettled &&= isSettled;
    return value;
  }
}

/** Whether every path still looks as it did. */
export async function isUnchanged({ sights }: Pick<Finding<unknown>, 'sights'>): Promise<boolean> {
  const looks = Array.from(sights, async ([path, { follow, print }]) => {
    return printOf(await see(path, follow)) === print;
  });
  return (await Promise.all(looks)).every(Boolean);
}

/** The stats of what is there, or the errno that came in their place. */
export function see(path: string, follow: boolean): Promise<BigIntStats | string> {
  // The form with a callback: it takes a third of the time, and every request for a path takes a dozen looks.
  return new Promise((resolve, reject) => {
    (follow ? stat : lstat)(path, { bigint: true }, (error, stats) => {
      if (error === null) return resolve(stats);
      const errno = errnoOf(error);
      // That nothing is there would be a guess.
      if (errno === undefined || isExhaustion(errno)) return reject(error);
      resolve(errno);
    });
  });
}

function printOf(seen: BigIntStats | string): string {
  if (typeof seen === 'string') return seen;
  return `${seen.dev}:${seen.ino}:${seen.mode}:${seen.size}:${seen.mtimeNs}:${seen.ctimeNs}`;
}
