import type { BigIntStats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';

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
      const now = await Promise.all(known.looked.map(signatureOf));
      if (now.every(({ text }, index) => text === known.signatures[index])) return known.value;
    }
    this.#memories.delete(name);
    const askedAt = Date.now();
    const { value, looked } = await findOut();
    // Looked at after the reading: what changed in between has changed too shortly before to be sure of.
    const signatures = await Promise.all(looked.map(signatureOf));
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

async function signatureOf(path: string): Promise<Signature> {
  const itself = await lstat(path, { bigint: true }).then(describe, () => nothing);
  if (!itself.isLink) return itself;
  // What a link leads to may change while the link does not.
  const target = await stat(path, { bigint: true }).then(describe, () => nothing);
  return { text: `${itself.text}>${target.text}`, changedMs: Math.max(itself.changedMs, target.changedMs) };
}

function describe(found: BigIntStats): Signature & { isLink: boolean } {
  return {
    text: `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`,
    changedMs: Number(found.ctimeNs / 1_000_000n),
    isLink: found.isSymbolicLink(),
  };
}
