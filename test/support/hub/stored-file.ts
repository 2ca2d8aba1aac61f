import { createHash } from 'node:crypto';

/** A file of the test hub. */
export interface StoredFile {
  readonly path: string;
  readonly bytes: Buffer;
  /** Large files are on another host, and are identified by their sha256. */
  readonly isLarge: boolean;
  readonly sha256: string;
  readonly gitSha: string;
}

export function storedFile(
  path: string,
  bytes: Buffer,
  { isLarge = bytes.length > 10_000 } = {},
): StoredFile {
  return {
    path,
    bytes,
    isLarge,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    gitSha: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
  };
}

/** Bytes without repetitions, so that no part can be mistaken for another. They are the same on every call. */
export function someBytes(count: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(count);
  let state = seed * 2_654_435_761;
  for (let at = 0; at < count; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** The files of a repo: two large ones and some small ones. */
export function someFiles(): StoredFile[] {
  return [
    storedFile('config.json', Buffer.from('{"model_type":"tiny"}')),
    storedFile('README.md', Buffer.from('# Tiny\n')),
    storedFile('empty.txt', Buffer.alloc(0)),
    storedFile('model.safetensors', someBytes(3_000_000)),
    storedFile('onnx/model.onnx', someBytes(1_000_000, 2)),
  ];
}
