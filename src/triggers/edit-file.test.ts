import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import type { JsonObject } from '../shared/json.ts';
import { changeEntry, type FileEntries, TriggerFile } from './trigger-file.ts';

async function read(text: string): Promise<FileEntries> {
  const path = join(await tempFolder(), 'triggers.toml');
  await writeFile(path, text);
  const file = new TriggerFile(path);
  const state = await file.open();
  await file.close();
  if (state.kind === 'broken') throw new Error(state.problem.message.en);
  return state;
}

function edit(before: FileEntries, index: number | null, entry: JsonObject | null): FileEntries {
  return changeEntry('triggers.toml', before, { index, entry });
}

const file = `# My triggers.

# Every night.
[[trigger]]
id = "a" # first
script = "backup"
kind = "schedule"
cron = "0 2 * * *" # nightly
params = { quality = 80 }

# The inbox.
[[trigger]]
id = "b"
script = "x"
kind = "folder"
path = "~/In"
[trigger.params]
size = 3 # small

# The end.
`;

describe('editing one entry of triggers.toml', () => {
  it('keeps the other entries and all comments', async () => {
    const { text: edited } = edit(await read(file), 0, {
      id: 'a',
      script: 'backup',
      kind: 'schedule',
      cron: '0 2 * * *',
      params: { quality: 80 },
      enabled: false,
    });
    expect(edited).toContain('enabled = false');
    expect(edited.replace('enabled = false\n', '')).toBe(file);
    expect(parse(edited)).toMatchObject({ trigger: [{ id: 'a', enabled: false }, { id: 'b' }] });
  });

  it('changes a value in its place', async () => {
    const entry = { id: 'b', script: 'x', kind: 'folder', path: '~/Out 中文', params: { size: 3 } };
    expect(edit(await read(file), 1, entry).text).toBe(file.replace('~/In', '~/Out 中文'));
  });

  it('removes an entry with the comments above it', async () => {
    const { text: edited } = edit(await read(file), 0, null);
    expect(edited).toBe(
      file.slice(0, file.indexOf('# Every night.')) + file.slice(file.indexOf('# The inbox.')),
    );
  });

  it('adds an entry at the end', async () => {
    const entry = {
      id: 'c',
      script: 'y',
      kind: 'schedule',
      every: '15m',
      data: ['a b', '引号"'],
      params: { 'a b': [1, { x: true }] },
    };
    const { text: edited } = edit(await read(file), null, entry);
    expect(edited.startsWith(file)).toBe(true);
    expect(parse(edited).trigger).toHaveLength(3);
    expect(parse(edit(await read(''), null, entry).text)).toEqual({ trigger: [entry] });
  });

  it('stores any value that JSON can hold', async () => {
    const before = await read(file);
    const name = fc
      .string({ maxLength: 8 })
      .filter((text) => text !== '__proto__' && !text.includes('\ud800'));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string({ unit: 'binary' }),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }), (params) => {
        const entry = { id: 'n', params } as JsonObject;
        const after = edit(before, null, entry);
        const added = after.text;
        expect(parse(added)).toMatchObject({ trigger: [{ id: 'a' }, { id: 'b' }, { id: 'n' }] });
        expect(JSON.stringify(Object(parse(added)).trigger[2])).toBe(JSON.stringify(entry));
        const replaced = edit(after, 2, { id: 'n', script: 's' }).text;
        expect(Object(parse(replaced)).trigger[2]).toEqual({ id: 'n', script: 's' });
        expect(replaced.startsWith(file.slice(0, -'\n# The end.\n'.length))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

it('keeps the comment at the top of the file, directly above the first entry', async () => {
  const text = '# My triggers\n[[trigger]]\nid = "a"\n\n# About b.\n[[trigger]]\nid = "b"\n';
  const before = await read(text);
  expect(edit(before, 0, null).text).toBe('# My triggers\n# About b.\n[[trigger]]\nid = "b"\n');
  expect(edit(before, 1, null).text).toBe('# My triggers\n[[trigger]]\nid = "a"\n\n');
});

it('keeps the comments below an entry that is removed or changed', async () => {
  const entry = (id: string) => `[[trigger]]\nid = "${id}"\n`;
  const text = `${entry('a')}
# A paragraph of its own.

# [[trigger]]
# id = "later"

# About b.
${entry('b')}
# [[trigger]]
# id = "commented-out"
`;
  const before = await read(text);
  expect(edit(before, 0, null).text).toBe(text.slice(text.indexOf('# A paragraph')));
  expect(edit(before, 1, null).text).toBe(text.replace('# About b.\n', '').replace(`${entry('b')}\n`, ''));
  expect(edit(before, 1, { id: 'b', enabled: false }).text).toBe(
    text.replace('id = "b"\n', 'id = "b"\nenabled = false\n'),
  );
});
