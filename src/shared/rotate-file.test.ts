import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { SeededRandom } from '../../test/support/random.ts';
import { rotateFile } from './rotate-file.ts';

it('rotates a part of a file in place, and leaves the rest unchanged', async () => {
  const path = join(await tempFolder(), 'file');
  const random = new SeededRandom();
  const lengths = [0, 1, 2, 3, 10, 65_536, 131_072, 131_073, 300_001];
  for (const length of lengths) {
    for (const by of new Set([0, Math.min(1, length), length >> 1, random.between(0, length), length])) {
      const bytes = random.bytes(length + 20);
      await writeFile(path, bytes);
      const file = await open(path, 'r+');
      await rotateFile(file.fd, { start: 10, length, by }).finally(() => file.close());
      const part = bytes.subarray(10, 10 + length);
      const rotated = Buffer.concat([
        bytes.subarray(0, 10),
        part.subarray(by),
        part.subarray(0, by),
        bytes.subarray(10 + length),
      ]);
      expect((await readFile(path)).equals(rotated), `${length} by ${by}, seed ${random.seed}`).toBe(true);
    }
  }
});
