import { type BigIntStats, lstat, stat } from 'node:fs';

import { errnoOf, isExhaustion } from '../shared/errors.ts';

/** The observed state of a path: identity, size and times of the file. */
interface Sight {
  /** Whether a link was followed. */
  readonly follow: boolean;
  readonly fingerprint: string;
}

/** A value, and the observed paths. The value is valid while none of them has changed. */
export interface Finding<Value> {
  readonly value: Value;
  readonly sights: ReadonlyMap<string, Sight>;
  /**
   * Whether every later change will be detected. A file changed a moment ago could change again within the same tick of the
   * disk's clock.
   */
  readonly isSettled: boolean;
}

/** The coarsest clock of a file system, that of FAT, ticks every two seconds. */
const settleMs = 2500;

/** Records the state of the paths that a finding depends on. Look at a path before reading it, so that a change in between is detected. */
export class Witness {
  readonly sights = new Map<string, Sight>();
  readonly #now: () => number;
  isSettled = true;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The stats of a path, or null if it cannot be read. With `follow`, of the target of a link. */
  async look(path: string, { follow = false } = {}): Promise<BigIntStats | null> {
    const seen = await see(path, follow);
    this.note(path, seen, follow);
    return typeof seen === 'string' ? null : seen;
  }

  note(path: string, seen: BigIntStats | string, follow: boolean): void {
    this.sights.set(path, { follow, fingerprint: fingerprintOf(seen) });
    if (typeof seen === 'string') return;
    // ctime, because programs can set mtime to any value.
    if (this.#now() - Number(seen.ctimeMs) < settleMs) this.isSettled = false;
  }

  /** Adds the dependencies of another finding to this one. */
  adopt<Value>({ value, sights, isSettled }: Finding<Value>): Value {
    for (const [path, sight] of sights) this.sights.set(path, sight);
    this.isSettled &&= isSettled;
    return value;
  }
}

/** Whether no observed path has changed. */
export async function isUnchanged({ sights }: Pick<Finding<unknown>, 'sights'>): Promise<boolean> {
  const looks = Array.from(sights, async ([path, { follow, fingerprint }]) => {
    return fingerprintOf(await see(path, follow)) === fingerprint;
  });
  return (await Promise.all(looks)).every(Boolean);
}

/** The stats of a path, or the errno. */
export function see(path: string, follow: boolean): Promise<BigIntStats | string> {
  // The callback API takes a third of the time of promises, and each request for a model path needs a dozen calls.
  return new Promise((resolve, reject) => {
    (follow ? stat : lstat)(path, { bigint: true }, (error, stats) => {
      if (error === null) return resolve(stats);
      const errno = errnoOf(error);
      // The error does not mean that the path is missing.
      if (errno === undefined || isExhaustion(errno)) return reject(error);
      resolve(errno);
    });
  });
}

function fingerprintOf(seen: BigIntStats | string): string {
  if (typeof seen === 'string') return seen;
  return `${seen.dev}:${seen.ino}:${seen.mode}:${seen.size}:${seen.mtimeNs}:${seen.ctimeNs}`;
}
