import { mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { comparePrograms } from '../compare-programs.ts';
import { type Program, programOf, readPrograms } from '../programs.ts';
import { openStage } from '../stage.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'hob-test-')));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A module that the fork server loads before any run. */
await writeFile(
  join(folder, 'made_ahead.py'),
  'import random\n\nunseeded = random.Random()\nseeded = random.Random(42)\nbound = random.random\n',
);
const ahead = { env: { PYTHONPATH: folder }, runtime: 'preload = ["made_ahead", "random", "uuid"]' };

const programs = [
  ...(await readPrograms('endings/starts')),
  python(
    'draws-from-a-seeded-generator-made-ahead',
    `
import made_ahead

print([made_ahead.seeded.random() for _ in range(3)])
`,
    ahead,
  ),
];

const drawing = [
  python(
    'draws-keys-for-its-processes',
    `
import multiprocessing, tempfile

print(bytes(multiprocessing.current_process().authkey).hex())
print(next(tempfile._get_candidate_names()))
`,
  ),
  python(
    'draws-from-generators-made-ahead',
    `
import made_ahead, random, secrets, tempfile, uuid

print(made_ahead.unseeded.random())
print(made_ahead.bound())
print(random.getrandbits(64))
print(random.SystemRandom().random())
print(uuid.uuid4())
print(secrets.token_hex())
print(next(tempfile._get_candidate_names()))
`,
    ahead,
  ),
];

describe('the start of a Python program', () => {
  comparePrograms(programs, { drawing, mostLeft: 0 });

  it('reads the time zone file as it is at the start of each run', async () => {
    const zone = join(folder, 'localtime');
    const program = python(
      'shows-its-time-zone',
      `
import time

print(time.tzname[0], time.timezone, time.strftime("%Z %z", time.localtime(0)))
`,
      { env: { TZ: `:${zone}` } },
    );
    await writeFile(zone, zoneFile('AAA', 3600));
    const stage = await openStage([program]);
    try {
      expect(stage.cold(program).seen.stdout).toBe('AAA -3600 AAA +0100\n');
      expect((await stage.runWarm(program)).seen.stdout).toBe('AAA -3600 AAA +0100\n');
      await writeFile(`${zone}.new`, zoneFile('BBB', 7200));
      await rename(`${zone}.new`, zone);
      expect((await stage.runWarm(program)).seen.stdout).toBe('BBB -7200 BBB +0200\n');
    } finally {
      await stage.close();
    }
  });
});

function python(name: string, text: string, special: Parameters<typeof programOf>[1] = {}): Program {
  return programOf(name, special, new Map([['main.py', Buffer.from(text)]]));
}

/** A time zone file for the C library with a constant offset. */
function zoneFile(name: string, offsetSeconds: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('TZif');
  header.writeUInt32BE(1, 36);
  header.writeUInt32BE(name.length + 1, 40);
  const type = Buffer.alloc(6);
  type.writeInt32BE(offsetSeconds);
  return Buffer.concat([header, type, Buffer.from(`${name}\0`)]);
}
