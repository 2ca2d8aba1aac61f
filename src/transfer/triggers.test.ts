import fs from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

import { parse } from 'smol-toml';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import type { Skipped } from './export-format.ts';
import { placeTriggers, portableTriggers } from './triggers.ts';

const fields = 'script = "s", kind = "schedule", every = "1h"';
const forms: [what: string, text: string][] = [
  ['tables', '[[trigger]]\nid = "a"\n\n[[trigger]]\nid = "b"\nenabled = false\n\n[[trigger]]\nid = "c"\n'],
  [
    'an inline list on one line',
    `trigger = [{ id = "a", ${fields} }, { id = "b", enabled = false, ${fields} }, { id = "c" }]\n`,
  ],
  [
    'an inline list on several lines',
    `trigger = [\n  { id = "a", ${fields} },\n  { id = "b", enabled = false, ${fields} },\n  { id = "c" },\n]\n`,
  ],
];

async function place(exported: string, prepare: (path: string) => Promise<unknown> = async () => {}) {
  const [staging, home] = [await tempFolder(), await tempFolder()];
  const path = join(home, 'triggers.toml');
  await writeFile(join(staging, 'triggers.toml'), exported);
  await prepare(path);
  const skipped: Skipped[] = [];
  const placed = await placeTriggers(staging, home, skipped);
  return { placed, skipped, path };
}

it('exports an entry without an id as it is, except for its secret params', async () => {
  const home = await tempFolder();
  const text = '[[trigger]]\nscript = "s"\nparams = { key = "sk", mode = "fast" }\n';
  await writeFile(join(home, 'triggers.toml'), text);
  const skipped: Skipped[] = [];
  const exported = await portableTriggers(home, () => new Set(['key']), skipped);
  expect(parse(exported ?? '')).toEqual({ trigger: [{ script: 's', params: { mode: 'fast' } }] });
  expect(skipped).toMatchObject([{ what: 'triggers.toml: 1' }]);
});

describe('importing triggers', () => {
  it.each(forms)('places all of them, switched off: %s', async (_what, text) => {
    const { placed, skipped, path } = await place(text);
    expect(skipped).toEqual([]);
    expect(placed).toEqual({ ids: ['a', 'b', 'c'], wereOn: ['a', 'c'], secrets: [] });
    expect(parse(await readFile(path, 'utf8'))).toMatchObject({
      trigger: ['a', 'b', 'c'].map((id) => ({ id, enabled: false })),
    });
  });

  it.each(forms.slice(1))('reports that the file of the home cannot be edited: %s', async (_what, own) => {
    const { placed, skipped, path } = await place('[[trigger]]\nid = "new"\n', (file) =>
      writeFile(file, own),
    );
    expect(placed).toEqual({ ids: [], wereOn: [], secrets: [] });
    expect(skipped).toMatchObject([
      { what: 'triggers.toml', why: { en: expect.stringContaining('can read but not change') } },
    ]);
    expect(await readFile(path, 'utf8')).toBe(own);
  });

  it('reports that the file of the home is a link without a target', async () => {
    const { placed, skipped } = await place(forms[0]?.[1] ?? '', (file) =>
      symlink(`${file} elsewhere`, file),
    );
    expect(placed.ids).toEqual([]);
    expect(skipped).toMatchObject([
      {
        what: 'triggers.toml',
        why: { en: expect.stringContaining('triggers.toml elsewhere, which does not') },
      },
    ]);
  });

  it('puts them on the disk before it reports success', async () => {
    const fsync = vi.spyOn(fs, 'fsync');
    syncBuiltinESMExports();
    onTestFinished(() => {
      fsync.mockRestore();
      syncBuiltinESMExports();
    });
    await place(forms[0]?.[1] ?? '');
    expect(fsync).toHaveBeenCalled();
  });
});
