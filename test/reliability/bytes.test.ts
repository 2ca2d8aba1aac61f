import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { type Hob, tempFolder } from '../support/hob.ts';
import { startTraced } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, writeScript } from '../support/scripts.ts';

const scenario = 'bytes';
const atOnce = 4;

/** Writes the pieces in a folder, each to its stream, with a pause after each. */
const player = bash(`
folder=$(sed -n 's/^ *"folder": "\\(.*\\)",*$/\\1/p' "$1")
for piece in "$folder"/*; do
  case $piece in
    *.out) cat "$piece" ;;
    *.err) cat "$piece" >&2 ;;
  esac
  sleep 0.00$((RANDOM % 10))
done
echo '{"code":0,"msg":"played"}' > "$output"
`);

const words = ['Hob', '炉边', '你好，世界', 'naïve', '😀', '\r\n', '\n', ' ', '\t', '€', 'ÿ', '\u{10ffff}'];
const text = (random: SeededRandom, count: number) =>
  Array.from({ length: count }, () => random.pick(words)).join('');

/** Kinds of output that caused errors elsewhere. */
const kinds: Record<string, (random: SeededRandom) => Buffer> = {
  'random bytes': (random) => random.bytes(random.between(0, 5000)),
  'UTF-8': (random) => Buffer.from(text(random, random.between(1, 500))),
  // GBK as programs on a Chinese Windows write it: the two-byte range of code points.
  GBK: (random) => {
    const pairs = Array.from({ length: random.between(1, 500) }, () => [
      random.between(0xb0, 0xf7),
      random.between(0xa1, 0xfe),
    ]);
    return Buffer.from(pairs.flat());
  },
  'UTF-16': (random) => Buffer.from(`\uFEFF${text(random, random.between(1, 300))}`, 'utf16le'),
  'one very long line': (random) =>
    Buffer.alloc(random.between(100_000, 1_000_000), random.pick(['x', '长', '😀'])),
  'NUL bytes': (random) =>
    Buffer.concat([Buffer.from(text(random, 5)), Buffer.alloc(random.between(1, 3000))]),
  'UTF-8 with one byte broken': (random) => {
    const bytes = Buffer.from(text(random, random.between(2, 200)));
    bytes[random.between(0, bytes.length - 1)] = random.between(0x80, 0xff);
    return bytes;
  },
  'control sequences': (random) => Buffer.from(`\u001b[31m${text(random, 20)}\u001b[0m\b\b\u0007`),
};

/** A second implementation of the rules: UTF-8 if valid, else GB18030 if valid, else replacement characters. */
function decoded(bytes: Buffer): string {
  for (const encoding of ['utf-8', 'gb18030']) {
    try {
      return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      // The bytes are not valid in this encoding.
    }
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Splits the bytes anywhere, also inside characters. */
function pieces(random: SeededRandom, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: random.between(0, 5) }, () => random.between(0, bytes.length));
  const ends = [...cuts.sort((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** Describes what is wrong with one output, with the seed that reproduces it. */
async function play(
  hob: Hob,
  id: string,
  folder: string,
  random: SeededRandom,
  name: string,
): Promise<string[]> {
  const make = kinds[name] ?? (() => Buffer.alloc(0));
  const out = make(random);
  const err = random.pick(Object.values(kinds))(random);
  await mkdir(folder);
  const all = [
    ...pieces(random, out).map((bytes) => ({ bytes, stream: 'out' })),
    ...pieces(random, err).map((bytes) => ({ bytes, stream: 'err' })),
  ];
  for (const [index, { bytes, stream }] of all.entries())
    await writeFile(join(folder, `${String(index).padStart(3, '0')}.${stream}`), bytes);
  const { status, body, headers } = await hob.run(id, { params: { folder } });
  const run = (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
  const problems = {
    answer: status !== 200 || body.message !== 'played',
    stdout: body.stdout !== decoded(out),
    stderr: body.stderr !== decoded(err),
    counts: run.stdout_bytes !== out.length || run.stderr_bytes !== err.length || run.truncated !== false,
  };
  const wrong = Object.entries(problems).filter(([, isWrong]) => isWrong);
  return wrong.map(([what]) => `${what} of ${name}, seed ${random.seed}`);
}

it('counts all bytes a script writes, and decodes them by the documented rules', patiently, async () => {
  const count = scaled(60, 500);
  const random = new SeededRandom();
  const scripts = await tempFolder();
  const folders = await tempFolder();
  const id = await writeScript(scripts, 'player', { entry: player });
  const { hob } = await startTraced({ scripts: [scripts] });
  const names = Object.keys(kinds);
  const wrong: string[] = [];
  let next = 0;
  const playing = Array.from({ length: atOnce }, async () => {
    while (next < count) {
      const index = next++;
      // Each output has its own seed, so that it can be reproduced alone.
      const own = new SeededRandom(random.seed + index);
      wrong.push(
        ...(await play(hob, id, join(folders, String(index)), own, names[index % names.length] ?? '')),
      );
    }
  });
  await Promise.all(playing);
  expect(wrong).toEqual([]);
  expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
  record({ scenario, what: 'outputs written', value: count, unit: '' });
  record({
    scenario,
    what: 'outputs counted or decoded wrongly',
    value: wrong.length,
    unit: '',
    bound: { exactly: 0 },
  });
});
