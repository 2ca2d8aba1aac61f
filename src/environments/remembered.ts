import { type BigIntStats, lstatSync, statSync } from 'node:fs';

interface Memory<Value> {
  readonly value: Value;
  readonly looked: readonly string[];
  readonly signatures: readonly string[];
}

/** A file that changed shortly before the read may change again unnoticed, because file system clocks are coarse. */
const unsureMs = 2000;

/** Caches a result that depends on files until one of them changes. */
export class Remembered<Value> {
  readonly #memories = new Map<string, Memory<Value>>();

  async get(
    name: string,
    findOut: () => Promise<{ value: Value; looked: readonly string[] }>,
  ): Promise<Value> {
    const known = this.#memories.get(name);
    if (known !== undefined) {
      const now = known.looked.map(signatureOf);
      if (now.every(({ text }, index) => text === known.signatures[index])) return known.value;
    }
    this.#memories.delete(name);
    const askedAt = Date.now();
    const { value, looked } = await findOut();
    // Check after the read: a change in between is too recent to be trusted.
    const signatures = looked.map(signatureOf);
    if (signatures.every(({ changedMs }) => changedMs < askedAt - unsureMs)) {
      this.#memories.set(name, { value, looked, signatures: signatures.map(({ text }) => text) });
    }
    return value;
  }

  /** Removes all other entries. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#memories.keys()) if (!names.has(name)) this.#memories.delete(name);
  }
}

interface Signature {
  readonly text: string;
  readonly changedMs: number;
}

/** Synchronous, because it runs before every run and the thread pool would take longer. */
function signatureOf(path: string): Signature {
  const itself = tryLook(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  const seen = [itself];
  // The target of a link may change while the link does not.
  if (itself?.isSymbolicLink())
    seen.push(tryLook(() => statSync(path, { bigint: true, throwIfNoEntry: false })));
  return {
    text: seen.map((each) => each && `${each.ino} ${each.size} ${each.mtimeNs} ${each.ctimeNs}`).join('>'),
    changedMs: Math.max(...seen.map((each) => Number((each?.ctimeNs ?? 0n) / 1_000_000n))),
  };
}

/** Undefined if the path does not exist or is not accessible. */
function tryLook(look: () => BigIntStats | undefined): BigIntStats | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
