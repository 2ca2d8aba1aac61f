import { type BigIntStats, lstatSync, statSync } from 'node:fs';

interface Memory<Value> {
  readonly value: Value;
  readonly looked: readonly string[];
  readonly signatures: readonly string[];
}

/** A file that was changed so shortly before it was read may have changed again without a sign: clocks of file systems tick slowly. */
const unsureMs = 2000;

/** What was found out from a few files, for as long as these stay as they were. */
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
    // Looked at after the reading: what changed in between has changed too shortly before to be sure of.
    const signatures = looked.map(signatureOf);
    if (signatures.every(({ changedMs }) => changedMs < askedAt - unsureMs)) {
      this.#memories.set(name, { value, looked, signatures: signatures.map(({ text }) => text) });
    }
    return value;
  }

  /** Forgets everything but this. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#memories.keys()) if (!names.has(name)) this.#memories.delete(name);
  }
}

interface Signature {
  readonly text: string;
  readonly changedMs: number;
}

const nothing = { text: '', changedMs: 0, isLink: false };

/** At once: a thread takes longer to be asked than it takes to look, and this is looked at for every run. */
function signatureOf(path: string): Signature {
  const itself = tryDescribe(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  if (!itself.isLink) return itself;
  // What a link leads to may change while the link does not.
  const target = tryDescribe(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return { text: `${itself.text}>${target.text}`, changedMs: Math.max(itself.changedMs, target.changedMs) };
}

function tryDescribe(look: () => BigIntStats | undefined): Signature & { isLink: boolean } {
  let found: BigIntStats | undefined;
  try {
    found = look();
  } catch {
    // It cannot be reached: nothing is known of it.
  }
  if (found === undefined) return nothing;
  return {
    text: `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`,
    changedMs: Number(found.ctimeNs / 1_000_000n),
    isLink: found.isSymbolicLink(),
  };
}
