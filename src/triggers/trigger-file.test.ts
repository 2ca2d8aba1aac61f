import fs from 'node:fs';
import { lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

import { parse } from 'smol-toml';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import type { JsonObject } from '../shared/json.ts';
import { createLogger } from '../shared/log.ts';
import { type EntryChange, type FileState, TriggerFile } from './trigger-file.ts';

const a = { id: 'a', script: 's', kind: 'schedule', every: '1h' };
const b = { ...a, id: 'b' };
const c = { ...a, id: 'c' };
const inline = (entry: JsonObject) =>
  `{ ${Object.entries(entry)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ')} }`;

async function scene(text: string) {
  const file = new TriggerFile(join(await tempFolder(), 'triggers.toml'));
  await writeFile(file.path, text);
  return { file, text: () => readFile(file.path, 'utf8') };
}

function idsOf(state: FileState): unknown[] | null {
  return state.kind === 'entries' ? state.entries.map(({ fields }) => fields.id) : null;
}

const inlineFiles: [what: string, text: string][] = [
  ['on one line', `trigger = [${inline(a)}, ${inline(b)}]\n`],
  ['on several lines', `# mine\ntrigger = [\n  ${inline(a)},\n  ${inline(b)},\n]\n`],
  ['with the brackets beside the entries', `trigger = [${inline(a)},\n${inline(b)}]\n`],
];

const changes: [what: string, change: EntryChange][] = [
  ['pausing the first', { index: 0, entry: { ...a, enabled: false } }],
  ['pausing the last', { index: 1, entry: { ...b, enabled: false } }],
  ['removing the first', { index: 0, entry: null }],
  ['removing the last', { index: 1, entry: null }],
  ['adding one', { index: null, entry: c }],
];

describe('editing a triggers.toml with an inline list', () => {
  const cases = inlineFiles.flatMap(([form, text]) =>
    changes.map(([what, change]) => ({ form, what, text, change })),
  );
  const onItsLine = { form: 'on several lines', what: 'removing the first' };

  it.each(cases.filter(({ form, what }) => form !== onItsLine.form || what !== onItsLine.what))(
    '$form: $what is refused and changes nothing',
    async ({ text, change }) => {
      const { file, text: now } = await scene(text);
      await expect(file.edit(() => change)).rejects.toMatchObject({
        code: 'triggers-file-broken',
        message: expect.stringContaining('in a form that Hob can read but not change. Nothing was changed.'),
        hint: { en: expect.stringContaining('[[trigger]]'), zh: expect.stringContaining('[[trigger]]') },
        files: [file.path],
      });
      expect(await now()).toBe(text);
    },
  );

  it('removes an entry that has a line of its own', async () => {
    const { file, text } = await scene(`trigger = [\n  ${inline(a)},\n  ${inline(b)},\n]\n`);
    await file.edit(() => ({ index: 0, entry: null }));
    expect(await text()).toBe(`trigger = [\n  ${inline(b)},\n]\n`);
  });

  it('reads the triggers of such a file', async () => {
    for (const [, text] of inlineFiles) {
      const { file } = await scene(text);
      expect(idsOf(await file.open())).toEqual(['a', 'b']);
      await file.close();
    }
  });

  it.each([
    'trigger = []\n',
    '# mine\ntrigger = [\n]\n',
    'trigger=[ ] # none',
    '  trigger = []\r\n# mine\r\n',
  ])('replaces an empty list: %j', async (text) => {
    const { file, text: now } = await scene(text);
    await file.edit(() => ({ index: null, entry: a }));
    await file.edit(() => ({ index: null, entry: b }));
    expect(parse(await now())).toEqual({ trigger: [a, b] });
    expect((await now()).includes('# mine')).toBe(text.includes('# mine'));
  });
});

describe('editing triggers.toml', () => {
  it.each([
    ['null', { size: null }],
    ['half a character', { size: '\ud800' }],
    ['deep nesting', { size: JSON.parse(`${'{"x":'.repeat(20)}1${'}'.repeat(20)}`) }],
  ])('refuses %s, which it could not read again', async (_what, params) => {
    const before = '[[trigger]]\nid = "a"\n';
    const { file, text } = await scene(before);
    for (const index of [null, 0])
      await expect(file.edit(() => ({ index, entry: { ...a, params } }))).rejects.toMatchObject({
        code: 'trigger-invalid',
        hint: { en: expect.stringContaining('null'), zh: expect.stringContaining('null') },
      });
    expect(await text()).toBe(before);
  });

  it('puts the new content on the disk before it reports success', async () => {
    const { file } = await scene('');
    const fsync = vi.spyOn(fs, 'fsync');
    syncBuiltinESMExports();
    onTestFinished(() => {
      fsync.mockRestore();
      syncBuiltinESMExports();
    });
    await file.edit(() => ({ index: null, entry: a }));
    expect(fsync).toHaveBeenCalled();
  });
});

describe('a triggers.toml that is a link', () => {
  async function linked() {
    const folder = await tempFolder();
    const [disk, target] = [join(folder, 'disk'), join(folder, 'disk', '我的 triggers.toml')];
    await mkdir(disk);
    await writeFile(target, '[[trigger]]\nid = "a"\n');
    await symlink(join('disk', '我的 triggers.toml'), join(folder, 'between'));
    await symlink('between', join(folder, 'triggers.toml'));
    return { file: new TriggerFile(join(folder, 'triggers.toml')), disk, target };
  }

  it('cannot be used or edited while its target is missing', async () => {
    const { file, disk, target } = await linked();
    expect(idsOf(await file.open())).toEqual(['a']);
    await file.close();
    await rename(disk, `${disk} away`);
    const state = await file.open();
    await file.close();
    expect(state).toMatchObject({
      kind: 'broken',
      problem: {
        message: { en: expect.stringContaining(target), zh: expect.stringContaining(target) },
        advice: { en: expect.stringMatching(/./), zh: expect.stringMatching(/./) },
      },
    });
    await expect(file.edit(() => ({ index: null, entry: b }))).rejects.toMatchObject({
      code: 'triggers-file-broken',
      message: expect.stringContaining(`a link to ${target}, which does not exist. Nothing was changed.`),
    });
    expect((await lstat(file.path)).isSymbolicLink()).toBe(true);
    await rename(`${disk} away`, disk);
    await file.edit(() => ({ index: null, entry: b }));
    expect((await lstat(file.path)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, 'utf8')).toContain('id = "b"');
  });

  it('has no triggers once the link itself is removed', async () => {
    const { file, disk } = await linked();
    await rm(disk, { recursive: true });
    await rm(file.path);
    expect(idsOf(await file.open())).toEqual([]);
    await file.close();
  });
});

describe('a change of triggers.toml by an editor', () => {
  it('is logged if it cannot be applied', async () => {
    const log = await createLogger('silent');
    const logged = vi.spyOn(log, 'error');
    const file = new TriggerFile(join(await tempFolder(), 'triggers.toml'), log);
    await file.open();
    onTestFinished(() => file.close());
    const failure = new Error('the listener fails');
    file.changed.subscribe(() => {
      throw failure;
    });
    await writeFile(file.path, '[[trigger]]\nid = "a"\n');
    await expect
      .poll(() => logged.mock.calls)
      .toEqual([[{ err: failure, file: file.path }, expect.any(String)]]);
  });
});
