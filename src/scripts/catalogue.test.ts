import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { AppError } from '../shared/errors.ts';
import { Catalogue } from './catalogue.ts';
import { isIgnoredFolder } from './script-folders.ts';

const ids = Array.from({ length: 10 }, (_, index) => `2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c1${index}`);
const [idA = '', idB = '', idC = ''] = ids;

const manifest = (id: string, name: string, more = '') =>
  `[service.info]\nid = "${id}"\nname = "${name}"\n[service.runtime]\nentry = "main.sh"\n${more}`;

async function write(folder: string, id: string, name: string, more = ''): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'main.sh'), '');
  await writeFile(join(folder, 'script.toml'), manifest(id, name, more));
}

async function catalogueOf(...roots: string[]): Promise<Catalogue> {
  const catalogue = new Catalogue(roots);
  await catalogue.load();
  return catalogue;
}

const names = (catalogue: Catalogue) => catalogue.scripts().map(({ name }) => name);

async function refusalOf(catalogue: Catalogue, id: string): Promise<AppError> {
  try {
    await catalogue.resolve(id);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the script was not refused');
}

describe('the catalogue', () => {
  it('finds scripts in its folders and one level below, and no deeper', async () => {
    const root = await tempFolder();
    await write(join(root, 'direct'), idA, 'direct');
    await write(join(root, 'group', 'inner'), idB, 'inner');
    await write(join(root, 'group', 'more', 'deep'), idC, 'deep');
    await writeFile(join(root, 'readme.txt'), '');
    const catalogue = await catalogueOf(root);
    expect(names(catalogue)).toEqual(['direct', 'inner']);
    expect(await catalogue.problems()).toEqual([]);
  });

  it('sorts scripts by name, and numbers in names by value', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'part 10');
    await write(join(root, 'b'), idB, 'part 9');
    expect(names(await catalogueOf(root))).toEqual(['part 9', 'part 10']);
  });

  it('notes dependencies that are missing or have a wrong version', async () => {
    const root = await tempFolder();
    const calls = (id: string, rest = '') => `[[service.dependencies]]\nid = "${id}"\n${rest}`;
    await write(join(root, 'a'), idA, 'a', calls(idB, 'name = "另一个"'));
    const catalogue = await catalogueOf(root);
    const notes = async () => (await catalogue.problems()).map(({ message }) => message.en);
    expect(await notes()).toEqual([`The required script "另一个" (${idB}) is not installed`]);
    await write(join(root, 'b'), idB, 'b');
    await catalogue.refresh([join(root, 'b')]);
    expect(await notes()).toEqual([]);
    await write(join(root, 'a'), idA, 'a', calls(idB, 'version = ">=2"'));
    await catalogue.refresh([join(root, 'a')]);
    expect(await notes()).toEqual([
      `The required script ${idB} must have version >=2, but the installed one has no version`,
    ]);
    expect((await catalogue.resolve(idA)).name).toBe('a');
  });

  it('finds a requested script in a folder that was scanned before it was filled', async () => {
    const root = await tempFolder();
    await mkdir(join(root, 'empty'));
    await mkdir(join(root, 'half'));
    await writeFile(join(root, 'half', 'script.toml'), '');
    const catalogue = await catalogueOf(root);
    await write(join(root, 'empty'), idA, 'empty');
    await write(join(root, 'half'), idB, 'half');
    expect((await catalogue.resolve(idA)).name).toBe('empty');
    expect((await catalogue.resolve(idB)).name).toBe('half');
  });

  it('does not search for scripts inside a script', async () => {
    const root = await tempFolder();
    await write(join(root, 'outer'), idA, 'outer');
    await write(join(root, 'outer', 'inner'), idB, 'inner');
    expect(names(await catalogueOf(root))).toEqual(['outer']);
  });

  it('finds scripts in all its roots, also through links', async () => {
    const [first, second, elsewhere] = [await tempFolder(), await tempFolder(), await tempFolder()];
    await write(join(first, 'a'), idA, 'a');
    await write(join(second, 'b'), idB, 'b');
    await write(join(elsewhere, 'c'), idC, 'c');
    await symlink(join(elsewhere, 'c'), join(second, 'c'));
    expect(names(await catalogueOf(first, second))).toEqual(['a', 'b', 'c']);
  });

  it('ignores folders of tools and dependencies', async () => {
    const root = await tempFolder();
    for (const name of ['.venv', '.git', '.hidden', 'node_modules', '__pycache__', 'venv', 'site-packages']) {
      expect(isIgnoredFolder(name)).toBe(true);
      await write(join(root, name), idA, name);
      await write(join(root, name, 'below'), idB, name);
      await write(join(root, 'group', name), idC, name);
    }
    expect(isIgnoredFolder('venv-tools')).toBe(false);
    const catalogue = await catalogueOf(root);
    expect(names(catalogue)).toEqual([]);
    await catalogue.refresh([join(root, '.venv', 'script.toml'), join(root, 'node_modules')]);
    expect(names(catalogue)).toEqual([]);
  });

  it('reports a missing root, and finds scripts in it later', async () => {
    const root = join(await tempFolder(), 'later');
    const catalogue = await catalogueOf(root);
    expect(await catalogue.problems()).toMatchObject([{ severity: 'error', file: root, line: null }]);
    await write(join(root, 'a'), idA, 'a');
    await catalogue.refresh([root]);
    expect(names(catalogue)).toEqual(['a']);
    expect(await catalogue.problems()).toEqual([]);
  });

  it('loads many scripts at once', async () => {
    const root = await tempFolder();
    const all = Array.from(
      { length: 120 },
      (_, index) => `${idA.slice(0, -3)}${String(index).padStart(3, '0')}`,
    );
    await Promise.all(all.map((id, index) => write(join(root, `s${index}`), id, `script ${index}`)));
    const catalogue = await catalogueOf(root);
    expect(catalogue.scripts()).toHaveLength(120);
    for (const id of all) expect((await catalogue.resolve(id)).id).toBe(id);
  });

  it('removes scripts that are missing at the next load', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'a');
    await write(join(root, 'b'), idB, 'b');
    const catalogue = await catalogueOf(root);
    await rm(join(root, 'a'), { recursive: true });
    await catalogue.load();
    expect(names(catalogue)).toEqual(['b']);
  });
});

describe('a script', () => {
  it('is found by its id in any case', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA.toUpperCase(), 'a');
    const catalogue = await catalogueOf(root);
    for (const id of [idA, idA.toUpperCase()]) expect((await catalogue.resolve(id)).name).toBe('a');
  });

  it.each(['no-uuid', '', idB, '__proto__', 'constructor', '../a', ' '])('is unknown as %j', async (id) => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'a');
    const error = await refusalOf(await catalogueOf(root), id);
    expect(error.code).toBe('script-unknown');
    expect(error.text).toEqual({ en: `脚本不存在: ${id}`, zh: `脚本不存在: ${id}` });
  });

  it('that is broken cannot run, and the error states the reason', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'Resize', 'timeout = "long"\n');
    await write(join(root, 'b'), idB, 'b');
    const catalogue = await catalogueOf(root);
    const error = await refusalOf(catalogue, idA);
    expect(error.code).toBe('script-unusable');
    expect(error.text.en).toContain('Resize');
    expect(error.text.en).toContain('timeout');
    expect(error.text.en).toContain('script.toml:6');
    expect(names(catalogue)).toEqual(['b']);
    expect(error.files).toEqual([join(root, 'a', 'script.toml')]);
    expect(await catalogue.problems()).toMatchObject([{ severity: 'error', line: 6, file: error.files[0] }]);
  });

  it('without its entry cannot run until the entry exists again', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'Resize');
    await rm(join(root, 'a', 'main.sh'));
    const catalogue = await catalogueOf(root);
    const error = await refusalOf(catalogue, idA);
    expect(error.code).toBe('script-unusable');
    expect(error.text.en).toMatch(/"Resize".*entry "main.sh" does not exist/);
    expect(await catalogue.problems()).toMatchObject([
      {
        severity: 'error',
        file: join(root, 'a', 'script.toml'),
        message: { en: 'entry "main.sh" does not exist' },
      },
    ]);
    await writeFile(join(root, 'a', 'main.sh'), '');
    expect((await catalogue.resolve(idA)).name).toBe('Resize');
    expect(await catalogue.problems()).toEqual([]);
  });

  it('cannot run if its entry is a folder, or leads out of the folder', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'a');
    const catalogue = await catalogueOf(root);
    await rm(join(root, 'a', 'main.sh'));
    await mkdir(join(root, 'a', 'main.sh'));
    expect((await refusalOf(catalogue, idA)).text.en).toContain('is not a file');
    await rm(join(root, 'a', 'main.sh'), { recursive: true });
    await symlink('/bin/sh', join(root, 'a', 'main.sh'));
    expect((await refusalOf(catalogue, idA)).text.en).toContain('is outside the script folder');
  });

  it('does not run while another script has the same id, and neither does the other', async () => {
    const [root, second] = [await tempFolder(), await tempFolder()];
    await write(join(root, 'a'), idA, 'a');
    await write(join(second, 'group', 'copy'), idA.toUpperCase(), 'copy');
    await write(join(root, 'b'), idB, 'b');
    const catalogue = await catalogueOf(root, second);
    const error = await refusalOf(catalogue, idA);
    expect(error.code).toBe('script-unusable');
    expect(error.text.en).toContain(join(root, 'a'));
    expect(error.text.en).toContain(join(second, 'group', 'copy'));
    expect(error.files.toSorted()).toEqual((await catalogue.problems()).map(({ file }) => file).toSorted());
    const files = (await catalogue.problems()).map(({ file, severity }) => [severity, file]);
    expect(files.toSorted()).toEqual(
      [
        ['error', join(root, 'a', 'script.toml')],
        ['error', join(second, 'group', 'copy', 'script.toml')],
      ].toSorted(),
    );
    expect((await catalogue.resolve(idB)).name).toBe('b');

    await rm(join(second, 'group', 'copy'), { recursive: true });
    await catalogue.refresh([join(second, 'group', 'copy')]);
    expect((await catalogue.resolve(idA)).name).toBe('a');
    expect(await catalogue.problems()).toEqual([]);
  });

  it('that shares its id with a broken one does not run either', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'a');
    await write(join(root, 'broken'), idA, 'b', 'timeout = "x"\n');
    expect((await refusalOf(await catalogueOf(root), idA)).code).toBe('script-unusable');
  });

  it('with two manifests cannot run under either id', async () => {
    const root = await tempFolder();
    const folder = join(root, 'a');
    await mkdir(folder);
    await writeFile(join(folder, 'main.sh'), '');
    await writeFile(join(folder, 'one.toml'), manifest(idA, 'one'));
    await writeFile(join(folder, 'two.toml'), manifest(idB, 'two'));
    const catalogue = await catalogueOf(root);
    for (const id of [idA, idB]) {
      const error = await refusalOf(catalogue, id);
      expect(error.code).toBe('script-unusable');
      expect(error.text.en).toContain('several manifests');
    }
  });

  it('with two manifests of one id reports its manifests, not another script', async () => {
    const root = await tempFolder();
    const folder = join(root, 'a');
    await mkdir(folder);
    await writeFile(join(folder, 'one.toml'), manifest(idA, 'one'));
    await writeFile(join(folder, 'two.toml'), manifest(idA, 'two'));
    const catalogue = await catalogueOf(root);
    expect((await refusalOf(catalogue, idA)).text.en).toContain('several manifests');
    expect(await catalogue.problems()).toHaveLength(1);
  });
});

describe('a scan for changes', () => {
  it('detects that a script is added, changed, broken, repaired, moved and removed', async () => {
    const root = await tempFolder();
    const catalogue = await catalogueOf(root);
    const folder = join(root, 'a');
    const file = join(folder, 'script.toml');

    await write(folder, idA, 'new');
    await catalogue.refresh([file]);
    expect((await catalogue.resolve(idA)).name).toBe('new');

    await write(folder, idB, 'changed');
    await catalogue.refresh([file]);
    expect((await catalogue.resolve(idB)).name).toBe('changed');
    expect((await refusalOf(catalogue, idA)).code).toBe('script-unknown');

    await write(folder, idB, 'changed', 'concurrency = 0\n');
    await catalogue.refresh([file]);
    expect((await refusalOf(catalogue, idB)).code).toBe('script-unusable');
    expect(names(catalogue)).toEqual([]);

    await writeFile(file, `${manifest(idB, 'changed')}timeout = \n`);
    await catalogue.refresh([file]);
    expect((await refusalOf(catalogue, idB)).text.en).toContain('Not valid TOML');

    await write(folder, idB, 'mended');
    await catalogue.refresh([file]);
    expect((await catalogue.resolve(idB)).name).toBe('mended');
    expect(await catalogue.problems()).toEqual([]);

    await rename(folder, join(root, 'moved'));
    await catalogue.refresh([folder, join(root, 'moved')]);
    expect((await catalogue.resolve(idB)).folder).toBe(join(root, 'moved'));

    await mkdir(join(root, 'group'));
    await rename(join(root, 'moved'), join(root, 'group', 'inner'));
    await catalogue.refresh([join(root, 'moved'), join(root, 'group', 'inner', 'script.toml')]);
    expect((await catalogue.resolve(idB)).folder).toBe(join(root, 'group', 'inner'));

    await rm(join(root, 'group'), { recursive: true });
    await catalogue.refresh([join(root, 'group')]);
    expect((await refusalOf(catalogue, idB)).code).toBe('script-unknown');
    expect(names(catalogue)).toEqual([]);
  });

  it('of the whole root detects all these changes too', async () => {
    const root = await tempFolder();
    await write(join(root, 'stays'), idA, 'stays');
    await write(join(root, 'goes'), idB, 'goes');
    const catalogue = await catalogueOf(root);
    await rm(join(root, 'goes'), { recursive: true });
    await write(join(root, 'comes'), idC, 'comes');
    await catalogue.refresh([root]);
    expect(names(catalogue)).toEqual(['comes', 'stays']);
    await rm(root, { recursive: true });
    await catalogue.refresh([root]);
    expect(names(catalogue)).toEqual([]);
    expect(await catalogue.problems()).toHaveLength(1);
  });

  it('finds a script that is requested while the scan runs', async () => {
    const root = await tempFolder();
    const catalogue = await catalogueOf(root);
    await write(join(root, 'new'), idA, 'new');
    const looking = catalogue.refresh([join(root, 'new')]);
    expect(await catalogue.resolve(idA)).toMatchObject({ name: 'new' });
    await looking;
  });

  it('detects a group that becomes a script, and a script that becomes a group', async () => {
    const root = await tempFolder();
    await write(join(root, 'x', 'inner'), idA, 'inner');
    const catalogue = await catalogueOf(root);
    await write(join(root, 'x'), idB, 'outer');
    await catalogue.refresh([join(root, 'x', 'script.toml')]);
    expect(names(catalogue)).toEqual(['outer']);
    await rm(join(root, 'x', 'script.toml'));
    await catalogue.refresh([join(root, 'x', 'script.toml')]);
    expect(names(catalogue)).toEqual(['inner']);
  });

  it('reads only the changed folder, not one with the same prefix', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'a');
    await write(join(root, 'a-b'), idB, 'a-b');
    const catalogue = await catalogueOf(root);
    await rm(join(root, 'a'), { recursive: true });
    await rm(join(root, 'a-b'), { recursive: true });
    await catalogue.refresh([join(root, 'a')]);
    expect(names(catalogue)).toEqual(['a-b']);
  });

  it('notifies listeners only if it concerned a script folder', async () => {
    const root = await tempFolder();
    const catalogue = await catalogueOf(root);
    let notified = 0;
    const stop = catalogue.changed.subscribe(() => {
      notified += 1;
    });
    await catalogue.refresh(['/somewhere/else', `${root}-alike/x`]);
    expect(notified).toBe(0);
    await catalogue.refresh([join(root, 'a'), join(root, 'b')]);
    expect(notified).toBe(1);
    stop();
    await catalogue.refresh([join(root, 'a')]);
    expect(notified).toBe(1);
  });

  it('keeps a broken script in the list of problems, errors before notes', async () => {
    const root = await tempFolder();
    await write(join(root, 'a'), idA, 'a', 'color = "red"\n');
    await write(join(root, 'b'), idB, 'b', 'concurrency = 0\ncolour = "red"\n');
    const catalogue = await catalogueOf(root);
    const problems = (await catalogue.problems()).map(({ severity, file, line }) => [severity, file, line]);
    expect(problems).toHaveLength(3);
    expect(problems[0]).toEqual(['error', join(root, 'b', 'script.toml'), 6]);
    expect(problems.slice(1).toSorted()).toEqual([
      ['note', join(root, 'a', 'script.toml'), 6],
      ['note', join(root, 'b', 'script.toml'), 7],
    ]);
  });
});
