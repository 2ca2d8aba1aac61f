import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import type { Script } from '../../src/scripts/script.ts';
import { EnvironmentScene, outputOf } from '../support/environment-scene.ts';
import { tempFolder } from '../support/hob.ts';
import { has } from '../support/needs.ts';
import { makeTarball } from '../support/wheels.ts';

// The tools take seconds for the smallest package, and several times as long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

const runtime = { language: 'node.js', entry: 'main.mjs' } as const;

/** A script that needs packages, and prints the version of the first one through import and require. */
async function needing(
  scene: EnvironmentScene,
  name: string,
  dependencies: Record<string, string>,
  files: Record<string, string> = {},
): Promise<Script> {
  const [module] = Object.keys(dependencies);
  return scene.script(
    name,
    {
      'package.json': JSON.stringify({
        name: 'needing',
        version: '1.0.0',
        dependencies,
        allowScripts: Object.fromEntries(Object.keys(dependencies).map((name) => [name, true])),
        scripts: { postinstall: 'exit 1' },
      }),
      'main.mjs': `import it from '${module}'; console.log(it.version);\n`,
      'main.cjs': `console.log(require('${module}').version);\n`,
      ...files,
    },
    runtime,
  );
}

const runs = (script: Script, entry = 'main.mjs') => outputOf(process.execPath, [join(script.folder, entry)]);

describe('the environment of a script for Node.js', () => {
  it('is built from its package.json, for import and require, and reused by the next run', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, '节点 脚本 🚀', { 'tiny-one': 'file:./packs/tiny-one-1.0.0.tgz' });
    await makeTarball(join(script.folder, 'packs'), 'tiny-one', '1.0.0');
    const key = await scene.node(script);
    expect(await runs(script)).toBe('1.0.0');
    expect(await runs(script, 'main.cjs')).toBe('1.0.0');
    expect((await lstat(join(script.folder, 'node_modules'))).isSymbolicLink()).toBe(true);
    expect(await scene.node(script)).toBe(key);
    expect(scene.builds).toHaveLength(1);
    expect(scene.builds[0]?.log()).toMatch(/^\$ .*npm-cli\.js install --omit=dev/m);
    expect(await scene.environments.list()).toMatchObject([
      { key, kind: 'node', state: 'ready', madeWith: expect.stringMatching(/^Node\.js 2\d.*, npm \d/) },
    ]);
  });

  it('is installed from the lock file, and rebuilt when that changes, for the same folder', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'locked', { 'tiny-one': 'file:packs/tiny-one-1.0.0.tgz' });
    await makeTarball(join(script.folder, 'packs'), 'tiny-one', '1.0.0');
    await makeTarball(join(script.folder, 'packs'), 'tiny-one', '2.0.0');
    const use = async (version: string) => {
      const file = `file:packs/tiny-one-${version}.tgz`;
      const dependencies = { 'tiny-one': file };
      const lock = {
        name: 'needing',
        version: '1.0.0',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': { name: 'needing', version: '1.0.0', dependencies },
          'node_modules/tiny-one': { version, resolved: file },
        },
      };
      const about = { name: 'needing', version: '1.0.0', dependencies };
      await writeFile(join(script.folder, 'package.json'), JSON.stringify(about));
      await writeFile(join(script.folder, 'package-lock.json'), JSON.stringify(lock));
    };
    await use('1.0.0');
    const first = await scene.node(script);
    expect(await runs(script)).toBe('1.0.0');
    const link = await readlink(join(script.folder, 'node_modules'));
    await use('2.0.0');
    expect(await scene.node(script)).not.toBe(first);
    expect(await runs(script)).toBe('2.0.0');
    expect(await readlink(join(script.folder, 'node_modules'))).not.toBe(link);
    expect(scene.builds[1]?.log()).toMatch(/^\$ .*npm-cli\.js ci --omit=dev/m);
    await use('1.0.0');
    expect(await scene.node(script)).toBe(first);
    expect(await runs(script)).toBe('1.0.0');
    expect(scene.builds).toHaveLength(2);
  });

  it('refuses a lock file that does not match', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(
      scene,
      'unfit',
      { 'tiny-one': 'file:packs/tiny-one-1.0.0.tgz' },
      {
        'package-lock.json': JSON.stringify({
          name: 'needing',
          version: '1.0.0',
          lockfileVersion: 3,
          packages: { '': { name: 'needing', version: '1.0.0' } },
        }),
      },
    );
    await makeTarball(join(script.folder, 'packs'), 'tiny-one', '1.0.0');
    const said = await scene.refusal(script);
    expect(said.en).toContain('The lock file does not match package.json');
  });

  it('includes packages that are folders of the script, and their dependencies', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(
      scene,
      'local',
      { outer: 'file:./libs/outer' },
      {
        'libs/outer/package.json': JSON.stringify({
          name: 'outer',
          version: '1.0.0',
          dependencies: { inner: 'file:../inner' },
        }),
        'libs/outer/index.js': "module.exports = { version: 'outer of ' + require('inner').version };\n",
        'libs/inner/package.json': JSON.stringify({ name: 'inner', version: '5.0.0' }),
        'libs/inner/index.js': "module.exports = { version: '5' };\n",
      },
    );
    const first = await scene.node(script);
    expect(await runs(script)).toBe('outer of 5');
    await writeFile(join(script.folder, 'libs', 'inner', 'index.js'), "module.exports = { version: '6' };\n");
    expect(await scene.node(script)).not.toBe(first);
    expect(await runs(script)).toBe('outer of 6');
  });

  it('is built with the install scripts of packages, as npm does, and without those of the script itself', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'scripted', { 'tiny-one': 'file:./packs/tiny-one-1.0.0.tgz' });
    const install = `node -e "require('fs').writeFileSync('installed', process.version)"`;
    await makeTarball(join(script.folder, 'packs'), 'tiny-one', '1.0.0', { scripts: { install } });
    await scene.node(script);
    const installed = await readFile(join(script.folder, 'node_modules', 'tiny-one', 'installed'), 'utf8');
    expect(installed).toBe(process.version);
  });

  it('gets packages from the registry', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(
      scene,
      'registry',
      { 'is-odd': '3.0.1' },
      {
        'main.mjs': "import isOdd from 'is-odd'; console.log(isOdd(3));\n",
      },
    );
    await scene.node(script);
    expect(await runs(script)).toBe('true');
  });

  it('is not built if the folder already has packages', async () => {
    const scene = await EnvironmentScene.open();
    const own = await needing(scene, 'own', { 'tiny-one': '1.0.0' });
    await mkdir(join(own.folder, 'node_modules', 'tiny-one'), { recursive: true });
    const linked = await needing(scene, 'linked', { 'tiny-one': '1.0.0' });
    await symlink(join(own.folder, 'node_modules'), join(linked.folder, 'node_modules'));
    const none = await scene.script(
      'none',
      { 'package.json': '{"type":"module","devDependencies":{"x":"1"}}' },
      runtime,
    );
    for (const script of [own, linked, none]) expect(await scene.ensure(script)).toEqual({ kind: 'none' });
    expect(await readdir(join(own.folder, 'node_modules'))).toEqual(['tiny-one']);
    expect(scene.builds).toEqual([]);
  });

  it('restores its link if that is gone', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'unlinked', { 'tiny-one': 'file:./packs/tiny-one-1.0.0.tgz' });
    await makeTarball(join(script.folder, 'packs'), 'tiny-one', '1.0.0');
    await scene.node(script);
    await rm(join(script.folder, 'node_modules'));
    await scene.node(script);
    expect(await runs(script)).toBe('1.0.0');
    expect(scene.builds).toHaveLength(1);
    expect((await readdir(script.folder)).sort()).toEqual([
      'main.cjs',
      'main.mjs',
      'node_modules',
      'package.json',
      'packs',
    ]);
  });
});

describe('an environment for Node.js that cannot be built', () => {
  it('says that there is no connection, in both languages', async () => {
    const scene = await EnvironmentScene.open({ env: { npm_config_cache: await tempFolder() } });
    const script = await needing(
      scene,
      'offline',
      { 'tiny-one': '1.0.0' },
      { '.npmrc': 'registry=http://127.0.0.1:9/\n' },
    );
    const { en, zh } = await scene.refusal(script);
    expect(en).toContain('the package registry cannot be reached');
    expect(zh).toContain('无法连接到包仓库');
    expect(await readdir(scene.folder)).toEqual([]);
    expect((await readdir(script.folder)).includes('node_modules')).toBe(false);
  });

  it('names a package outside the folder, without a build', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'outside', { shared: 'file:../shared' });
    expect((await scene.refusal(script)).en).toContain('outside the folder of the script');
    expect(scene.builds).toEqual([]);
  });

  it.skipIf(!canMount)('says what to do if no link can be created, before anything is built', async () => {
    const scene = await EnvironmentScene.open();
    const { folder } = await scene.script('read-only', { 'main.mjs': '' }, runtime);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    try {
      const script = await needing(scene, 'read-only', { 'tiny-one': '1.0.0' });
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      const { en } = await scene.refusal(script);
      expect(en).toContain(`Hob cannot create a link in ${folder} (EROFS)`);
      expect(en).toContain('Make that folder writable, or run npm install in it.');
      expect(scene.builds).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', folder]);
    }
  });

  it.each([
    ['a package', { 'tiny-none-that-nobody-has': '1.0.0' }, 'tiny-none-that-nobody-has'],
    ['a version', { 'is-odd': '99.0.0' }, 'is-odd@99.0.0'],
  ])('names %s that the registry does not have', async (_what, dependencies, named) => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'missing', dependencies);
    expect((await scene.refusal(script)).en).toContain(`No version of the package matches: ${named}`);
  });

  it('says that npm is missing', async () => {
    const bin = await tempFolder();
    await writeFile(
      join(bin, 'node'),
      `#!/bin/sh\ncase "$*" in *execPath*) echo 22.1.0; echo ${bin}/node ;; *) echo 1 ;; esac\n`,
      {
        mode: 0o755,
      },
    );
    const scene = await EnvironmentScene.open({ path: bin });
    const script = await needing(scene, 'without npm', { 'tiny-one': '1.0.0' });
    expect((await scene.refusal(script)).en).toContain('apt install npm');
  });
});
