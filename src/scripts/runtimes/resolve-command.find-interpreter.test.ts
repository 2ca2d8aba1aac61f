import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { isExecutable, isOnPath } from '../../shared/find-program.ts';
import { InterpreterFinder, type Search } from './resolve-command.ts';

/** Installs an interpreter that prints this version and path for any arguments. */
async function install(path: string, version: string, realPath = ''): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const starts = `${path}.starts`;
  await writeFile(path, `#!/bin/sh\necho x >> '${starts}'\necho '${version}'\necho '${realPath}'\n`);
  await chmod(path, 0o755);
  return path;
}

async function startsOf(path: string): Promise<number> {
  return (await readFile(`${path}.starts`, 'utf8').catch(() => '')).split('\n').length - 1;
}

const finderOf = (...folders: string[]) => new InterpreterFinder({ PATH: folders.join(delimiter) });

function found(search: Search): [path: string, version: string] | null {
  return search.kind === 'found' ? [search.interpreter.path, search.interpreter.version] : null;
}

async function twoFolders(): Promise<[string, string]> {
  const folder = await tempFolder();
  const [first, second] = [join(folder, 'first'), join(folder, 'second')] as const;
  await mkdir(first);
  await mkdir(second);
  return [first, second];
}

describe('the search for an interpreter', () => {
  it('takes the first on PATH', async () => {
    const [first, second] = await twoFolders();
    await install(join(first, 'python3'), '3.8.1');
    await install(join(second, 'python3'), '3.12.0');
    expect(found(await finderOf(first, second).find('python', null))).toEqual([
      join(first, 'python3'),
      '3.8.1',
    ]);
    expect(found(await finderOf(second, first).find('python', null))).toEqual([
      join(second, 'python3'),
      '3.12.0',
    ]);
  });

  it('takes the first that satisfies the requirement', async () => {
    const [first, second] = await twoFolders();
    await install(join(first, 'python3'), '3.8.1');
    await install(join(second, 'python3'), '3.12.0');
    const finder = finderOf(first, second);
    expect(found(await finder.find('python', '>=3.10'))).toEqual([join(second, 'python3'), '3.12.0']);
    expect(found(await finder.find('python', '>=3.8'))).toEqual([join(first, 'python3'), '3.8.1']);
  });

  it('finds python if there is no python3', async () => {
    const [first, second] = await twoFolders();
    await install(join(first, 'python'), '3.9.0');
    expect(found(await finderOf(second, first).find('python', null))).toEqual([
      join(first, 'python'),
      '3.9.0',
    ]);
  });

  it('finds python3.12 beside python3, and the newest of several', async () => {
    const [folder] = await twoFolders();
    await install(join(folder, 'python3'), '3.8.1');
    for (const version of ['3.9', '3.12', '3.10'])
      await install(join(folder, `python${version}`), `${version}.5`);
    const finder = finderOf(folder);
    expect(found(await finder.find('python', null))).toEqual([join(folder, 'python3'), '3.8.1']);
    expect(found(await finder.find('python', '>=3.9'))).toEqual([join(folder, 'python3.12'), '3.12.5']);
    expect(found(await finder.find('python', '3.10'))).toEqual([join(folder, 'python3.10'), '3.10.5']);
  });

  it('follows a shim to the real program, so that it is started directly', async () => {
    const [shims, versions] = await twoFolders();
    const real = await install(join(versions, 'bin', 'python3.11'), '3.11.7');
    await install(join(shims, 'python3'), '3.11.7', real);
    expect(found(await finderOf(shims).find('python', null))).toEqual([real, '3.11.7']);
  });

  it('keeps the shim if the program it names cannot be started', async () => {
    const [shims] = await twoFolders();
    for (const [name, real] of [
      ['python3', '/nowhere/python3'],
      ['node', 'relative/node'],
      ['ruby', '/etc/passwd'],
    ] as const)
      await install(join(shims, name), '3.11.7', real);
    const finder = finderOf(shims);
    expect(found(await finder.find('python', null))?.[0]).toBe(join(shims, 'python3'));
    expect(found(await finder.find('node.js', null))?.[0]).toBe(join(shims, 'node'));
    expect(found(await finder.find('ruby', null))?.[0]).toBe(join(shims, 'ruby'));
  });

  it('distinguishes shims that are one program with several names', async () => {
    const [shims] = await twoFolders();
    const manager = join(shims, 'manager');
    await writeFile(manager, '#!/bin/sh\ncase "$0" in *3.12) echo 3.12.1;; *) echo 3.8.1;; esac\necho\n');
    await chmod(manager, 0o755);
    for (const name of ['python3', 'python3.12']) await symlink('manager', join(shims, name));
    const finder = finderOf(shims);
    expect(found(await finder.find('python', null))).toEqual([join(shims, 'python3'), '3.8.1']);
    expect(found(await finder.find('python', '>=3.12'))).toEqual([join(shims, 'python3.12'), '3.12.1']);
  });

  it('lists the installed versions if none satisfies the requirement', async () => {
    const [first, second] = await twoFolders();
    await install(join(first, 'python3'), '3.8.1');
    await install(join(second, 'python3'), '3.9.2');
    await symlink('python3', join(second, 'python'));
    const search = await finderOf(first, second).find('python', '>=3.13');
    expect(search).toEqual({
      kind: 'none',
      seen: expect.arrayContaining([
        { path: join(first, 'python3'), version: '3.8.1' },
        { path: join(second, 'python3'), version: '3.9.2' },
      ]),
    });
  });

  it('reports that no interpreter is installed', async () => {
    const [folder] = await twoFolders();
    expect(await finderOf(folder).find('python', null)).toEqual({ kind: 'none', seen: [] });
    expect(await finderOf().find('bash', null)).toEqual({ kind: 'none', seen: [] });
    expect(await new InterpreterFinder({}).find('bash', null)).toEqual({ kind: 'none', seen: [] });
  });

  it('skips programs that cannot be started or print no version', async () => {
    const [first, second] = await twoFolders();
    await writeFile(join(first, 'python3'), 'not executable');
    await mkdir(join(first, 'python'));
    await writeFile(join(first, 'python3.20'), '#!/bin/sh\nexit 1\n');
    await chmod(join(first, 'python3.20'), 0o755);
    await writeFile(join(first, 'node'), '#!/bin/sh\necho 99.0.0\nexit 3\n');
    await chmod(join(first, 'node'), 0o755);
    await writeFile(join(first, 'ruby'), '#!/nowhere/sh\n');
    await chmod(join(first, 'ruby'), 0o755);
    await install(join(second, 'python3'), '3.9.0');
    await install(join(second, 'node'), '20.1.0');
    const finder = finderOf(first, second);
    expect(found(await finder.find('python', null))).toEqual([join(second, 'python3'), '3.9.0']);
    expect(found(await finder.find('node.js', null))).toEqual([join(second, 'node'), '20.1.0']);
    expect(await finder.find('ruby', null)).toEqual({ kind: 'none', seen: [] });
  });

  it('never searches relative folders', async () => {
    const [folder] = await twoFolders();
    await install(join(folder, 'bash'), '5.2.0');
    expect(await finderOf('.', '', 'bin', '../x').find('bash', null)).toMatchObject({ kind: 'none' });
    expect(found(await finderOf('.', folder).find('bash', null))?.[0]).toBe(join(folder, 'bash'));
  });

  it('finds PATH in any spelling', async () => {
    const [folder] = await twoFolders();
    await install(join(folder, 'bash'), '5.2.0');
    expect(found(await new InterpreterFinder({ Path: folder }).find('bash', null))).not.toBeNull();
  });

  it('takes the fallback after all programs on PATH', async () => {
    const [folder, other] = await twoFolders();
    const fallback = await install(join(other, 'hobs-own-node'), '20.19.0');
    const finder = new InterpreterFinder({ PATH: folder }, { 'node.js': fallback });
    expect(found(await finder.find('node.js', null))).toEqual([fallback, '20.19.0']);
    expect(await finder.find('python', null)).toMatchObject({ kind: 'none' });
    await install(join(folder, 'node'), '22.1.0');
    const later = new InterpreterFinder({ PATH: folder }, { 'node.js': fallback });
    expect(found(await later.find('node.js', null))).toEqual([join(folder, 'node'), '22.1.0']);
    expect(found(await later.find('node.js', '20'))).toEqual([fallback, '20.19.0']);
  });
});

describe('a found interpreter', () => {
  it('is probed once for any number of callers', async () => {
    const [folder] = await twoFolders();
    const python = await install(join(folder, 'python3'), '3.9.0');
    const finder = finderOf(folder);
    await Promise.all([
      finder.find('python', null),
      finder.find('python', null),
      finder.find('python', '>=3.8'),
    ]);
    await finder.find('python', null);
    await finder.find('python', '<4');
    expect(await startsOf(python)).toBe(1);
  });

  it('is searched again when it was removed', async () => {
    const [first, second] = await twoFolders();
    const python = await install(join(first, 'python3'), '3.9.0');
    const finder = finderOf(first, second);
    expect(found(await finder.find('python', null))?.[0]).toBe(python);
    await rm(python);
    expect(await finder.find('python', null)).toMatchObject({ kind: 'none' });
    const other = await install(join(second, 'python3'), '3.10.0');
    expect(found(await finder.find('python', null))).toEqual([other, '3.10.0']);
  });

  it('may be installed later', async () => {
    const [folder] = await twoFolders();
    const finder = finderOf(folder);
    expect(await finder.find('python', '>=3.10')).toEqual({ kind: 'none', seen: [] });
    const python = await install(join(folder, 'python3'), '3.9.0');
    expect(await finder.find('python', '>=3.10')).toEqual({
      kind: 'none',
      seen: [{ path: python, version: '3.9.0' }],
    });
    await install(python, '3.12.0');
    expect(found(await finder.find('python', '>=3.10'))).toEqual([python, '3.12.0']);
  });

  it('at a known path is probed again after it changed', async () => {
    const [folder] = await twoFolders();
    const own = join(folder, '.venv', 'bin', 'python');
    const finder = finderOf();
    expect(await finder.probe('python', own)).toBeNull();
    await install(own, '3.8.1');
    expect(await finder.probe('python', own)).toEqual({ path: own, version: '3.8.1' });
    await rm(join(folder, '.venv'), { recursive: true });
    await install(own, '3.12.0');
    expect(await finder.probe('python', own)).toEqual({ path: own, version: '3.12.0' });
    await rm(own);
    expect(await finder.probe('python', own)).toBeNull();
  });
});

describe('a program on PATH', () => {
  it('is an executable file, in one of the folders or at its own path', async () => {
    const [folder, other] = await twoFolders();
    const tool = await install(join(folder, 'ffmpeg'), '1.0');
    await writeFile(join(folder, 'readme'), '');
    await mkdir(join(folder, 'folder'));
    await symlink('ffmpeg', join(folder, 'link'));
    await symlink('nowhere', join(folder, 'dangling'));
    const env = { PATH: [other, folder].join(delimiter) };
    for (const name of ['ffmpeg', 'link', tool]) expect(await isOnPath(name, env)).toBe(true);
    for (const name of ['readme', 'folder', 'dangling', 'none', '', join(folder, 'readme')])
      expect(await isOnPath(name, env)).toBe(false);
    expect(await isOnPath('ffmpeg', {})).toBe(false);
    expect(await isExecutable(tool)).toBe(true);
    expect(await isExecutable(folder)).toBe(false);
  });
});
