import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

import type { Text } from '../../shared/text.ts';

const leftOut = /^(?:\.git|\.venv|venv|__pycache__|node_modules|\.DS_Store)$|\.pyc$/;

/** A zip file of a folder, of the plainest kind. */
export async function packFolder(
  folder: string,
  { target, signal }: { target: string; signal: AbortSignal },
): Promise<{ file: string; entries: number; bytes: number; sha256: string; notes: readonly Text[] }> {
  const [local, central]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const path of await filesBelow(folder, '')) {
    signal.throwIfAborted();
    const content = await readFile(join(folder, path));
    const packed = deflateRawSync(content);
    const name = Buffer.from(path.normalize('NFC'));
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    local.push(Buffer.from('PK\u0003\u0004', 'latin1'), common, name, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\u0001\u0002\u0014\u0003', 'latin1'), common, rest, name);
    offset += 30 + name.length + packed.length;
  }
  const count = local.length / 4;
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(offset, 16);
  const zip = Buffer.concat([...local, ...central, end]);
  const draft = join(target, '..', `.${basename(target)}.${process.pid}`);
  try {
    await writeFile(draft, zip);
    signal.throwIfAborted();
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
  const sha256 = createHash('sha256').update(zip).digest('hex');
  return { file: target, entries: count, bytes: zip.length, sha256, notes: [] };
}

async function filesBelow(folder: string, path: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(join(folder, path))).sort()) {
    if (leftOut.test(name)) continue;
    const inner = path === '' ? name : `${path}/${name}`;
    const isFolder = (await stat(join(folder, inner))).isDirectory();
    found.push(...(isFolder ? await filesBelow(folder, inner) : [inner]));
  }
  return found;
}
