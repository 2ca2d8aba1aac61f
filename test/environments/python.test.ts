import { execFileSync } from 'node:child_process';
import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { EnvironmentScene, outputOf } from '../support/environment-scene.ts';
import { tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { makeWheel } from '../support/wheels.ts';

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

const offline = '--no-index\n--find-links ./wheels\n';

/** The version that a module in an environment prints. */
function versionIn(python: string, module: string): Promise<string> {
  return outputOf(python, ['-c', `import ${module}; print(${module}.version)`]);
}

describe('the environment of a Python script', () => {
  it('is built once from its requirements, with a log, and reused by the next run', async () => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('缩放 图片 🖼', { 'requirements.txt': `${offline}tiny_one==1.0\n` });
    await makeWheel(join(script.folder, 'wheels'), 'tiny_one', '1.0');
    const { python, key } = await scene.python(script);
    expect(await versionIn(python, 'tiny_one')).toBe('1.0');
    expect(await scene.python(script)).toEqual({ kind: 'python', key, python });
    expect(scene.builds).toHaveLength(1);
    const log = scene.builds[0]?.log() ?? '';
    expect(log).toMatch(/^Building the environment of "缩放 图片 🖼" with Python 3/);
    expect(log).toContain('Requirements: tiny_one==1.0');
    expect(log).toMatch(/^\$ .*-m pip .*install/m);
    expect(log).toMatch(/Built in [\d.]+ m?s\n$/);
    expect(await scene.environments.list()).toMatchObject([
      { key, kind: 'python', state: 'ready', requirements: ['tiny_one==1.0'], scripts: [{ id: script.id }] },
    ]);
  });

  it('is separate from one with a conflicting version, and shared by scripts with equal requirements', async () => {
    const scene = await EnvironmentScene.open();
    const wheels = await tempFolder();
    for (const version of ['1.0', '2.0']) await makeWheel(wheels, 'tiny_one', version);
    const needs = (version: string) => ({
      'requirements.txt': `--no-index\n--find-links "${wheels}"\ntiny_one==${version}\n`,
    });
    const [first, second, third] = [
      await scene.script('first', needs('1.0')),
      await scene.script('second', needs('2.0')),
      await scene.script('third', needs('2.0')),
    ];
    const made = await Promise.all([first, second, third].map((script) => scene.python(script)));
    expect(await Promise.all(made.map(({ python }) => versionIn(python, 'tiny_one')))).toEqual([
      '1.0',
      '2.0',
      '2.0',
    ]);
    expect(made[1]).toEqual(made[2]);
    expect(scene.builds).toHaveLength(2);
  });

  it('is rebuilt when the requirements, a file that they name or a wheel changes', async () => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('changing', {
      'requirements.txt': `${offline}-r more/base.txt\n`,
      'more/base.txt': '-c limits.txt\ntiny_one\n',
      'more/limits.txt': 'tiny_one<2\n',
    });
    const wheels = join(script.folder, 'wheels');
    await makeWheel(wheels, 'tiny_one', '1.0');
    await makeWheel(wheels, 'tiny_one', '2.0');
    const keys = [await scene.python(script)];
    expect(await versionIn(keys[0]?.python ?? '', 'tiny_one')).toBe('1.0');
    await writeFile(join(script.folder, 'more', 'limits.txt'), 'tiny_one<3\n');
    keys.push(await scene.python(script));
    expect(await versionIn(keys[1]?.python ?? '', 'tiny_one')).toBe('2.0');
    await makeWheel(wheels, 'tiny_one', '2.0', { text: 'changed = True\n' });
    keys.push(await scene.python(script));
    expect(await outputOf(keys[2]?.python ?? '', ['-c', 'import tiny_one; print(tiny_one.changed)'])).toBe(
      'True',
    );
    await writeFile(join(script.folder, 'main.py'), '# a change of the script itself changes nothing\n');
    expect(await scene.python(script)).toEqual(keys[2]);
    expect(new Set(keys.map(({ key }) => key)).size).toBe(3);
  });

  it('is built from the metadata in its entry', async () => {
    const scene = await EnvironmentScene.open();
    const wheels = await tempFolder();
    await makeWheel(wheels, 'tiny_one', '3.1');
    const block =
      '# /// script\n# requires-python = ">=3.8,<4"\n# dependencies = [\n#   "tiny_one",\n# ]\n# ///\n';
    const script = await scene.script('inline', { 'main.py': `${block}import tiny_one\n` });
    const linked = await EnvironmentScene.open({ env: { PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels } });
    const { python } = await linked.python(script);
    expect(await versionIn(python, 'tiny_one')).toBe('3.1');
  });

  it('is built from the dependencies of a project, unaffected by the environment of the service', async () => {
    const wheels = await tempFolder();
    await makeWheel(wheels, 'tiny_one', '3.1');
    const elsewhere = await tempFolder();
    const scene = await EnvironmentScene.open({
      env: {
        PIP_NO_INDEX: '1',
        PIP_FIND_LINKS: wheels,
        PIP_TARGET: elsewhere,
        PYTHONPATH: elsewhere,
        PIP_REQUIRE_VIRTUALENV: '1',
      },
    });
    const script = await scene.script('project', {
      'pyproject.toml': '[project]\nname = "x"\nversion = "1"\ndependencies = ["tiny_one>=3"]\n',
    });
    const { python } = await scene.python(script);
    expect(await versionIn(python, 'tiny_one')).toBe('3.1');
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('is not built if nothing needs installing, or the folder has its own', async () => {
    const scene = await EnvironmentScene.open();
    const scripts = [
      await scene.script('bare', { 'main.py': 'pass\n' }),
      await scene.script('comments', { 'requirements.txt': '# nothing\n\n--no-index\n' }),
      await scene.script('tool settings', { 'pyproject.toml': '[tool.ruff]\nline-length = 100\n' }),
      await scene.script('empty', { 'pyproject.toml': '[project]\nname = "x"\ndependencies = []\n' }),
      await scene.script('own', { 'requirements.txt': 'tiny_one\n', '.venv/bin/python': '' }),
    ];
    for (const script of scripts) expect(await scene.ensure(script), script.name).toEqual({ kind: 'none' });
    const off = await EnvironmentScene.open({ isEnabled: false });
    const wanting = await off.script('off', { 'requirements.txt': 'tiny_one\n' });
    expect(await off.ensure(wanting)).toEqual({ kind: 'none' });
    expect([...scene.builds, ...off.builds]).toEqual([]);
  });

  it('is rebuilt when its Python is gone', async () => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('orphan', { 'requirements.txt': `${offline}tiny_one\n` });
    await makeWheel(join(script.folder, 'wheels'), 'tiny_one', '1.0');
    const first = await scene.python(script);
    await rm(first.python);
    await symlink('/nowhere/python', first.python);
    expect(await scene.environments.list()).toMatchObject([{ key: first.key, state: 'damaged' }]);
    const second = await scene.python(script);
    expect(second.key).toBe(first.key);
    expect(await versionIn(second.python, 'tiny_one')).toBe('1.0');
    expect(await readdir(dirname(dirname(dirname(dirname(second.python)))))).toHaveLength(2);
  });

  it('is built with the pip bundled with a Python if none is installed for it', async () => {
    const scene = await EnvironmentScene.open();
    const base = await scene.python(await withWheel(scene, 'base'));
    const bare = await EnvironmentScene.open({ path: `${dirname(base.python)}:/usr/bin:/bin` });
    const script = await withWheel(bare, 'bare');
    expect(await versionIn((await bare.python(script)).python, 'tiny_one')).toBe('1.0');
    expect(bare.builds[0]?.log()).toContain('-m ensurepip');
  });

  it('is refused immediately for a missing Python', async () => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('future', {
      'main.py': '# /// script\n# requires-python = ">=3.99"\n# dependencies = ["tiny_one"]\n# ///\n',
    });
    const { en, zh } = await scene.refusal(script);
    expect(en).toMatch(/need Python >=3\.99, but only 3\./);
    expect(zh).toContain('需要 Python >=3.99');
    expect(scene.builds).toEqual([]);
  });

  it.skipIf(!has('uv', findProgram('uv') !== null))('is built with uv if it is on PATH', async () => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('quick', { 'requirements.txt': `${offline}tiny_one\n` });
    await makeWheel(join(script.folder, 'wheels'), 'tiny_one', '1.0');
    const { python } = await scene.python(script);
    expect(await versionIn(python, 'tiny_one')).toBe('1.0');
    expect(scene.builds[0]?.log()).toMatch(/^\$ .*uv pip install/m);
    expect(await scene.environments.list()).toMatchObject([{ madeWith: expect.stringContaining('uv ') }]);
  });
});

describe('a Python environment that cannot be built', () => {
  it('says that there is no connection, in both languages, and names the run with the log', async () => {
    const scene = await EnvironmentScene.open({ env: { PIP_CONFIG_FILE: '/dev/null' } });
    const script = await scene.script('offline', {
      'requirements.txt': '--index-url http://127.0.0.1:9/simple\ntiny_one\n',
    });
    const { en, zh } = await scene.refusal(script);
    expect(en).toContain('the package index cannot be reached');
    expect(en).toContain(`The run ${scene.builds[0]?.runId} has the full log.`);
    expect(zh).toContain('无法连接到包索引');
    expect(await readdir(scene.folder)).toEqual([]);
  });

  it.each([
    ['no such version', 'tiny_one==9\n', 'No version of the package matches: tiny_one==9'],
    ['no such package', 'tiny_none\n', 'No version of the package matches: tiny_none'],
    ['a conflict', 'tiny_two\ntiny_one==1.0\n', 'The packages have conflicting requirements'],
    ['another Python', 'tiny_old\n', 'does not support this version of Python'],
  ])('names the cause: %s', async (_what, requirements, sentence) => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('broken', { 'requirements.txt': `${offline}${requirements}` });
    const wheels = join(script.folder, 'wheels');
    await makeWheel(wheels, 'tiny_one', '1.0');
    await makeWheel(wheels, 'tiny_one', '2.0');
    await makeWheel(wheels, 'tiny_two', '1.0', { metadata: ['Requires-Dist: tiny_one>=2'] });
    await makeWheel(wheels, 'tiny_old', '1.0', { metadata: ['Requires-Python: <3'] });
    expect((await scene.refusal(script)).en).toContain(sentence);
    expect(await readdir(scene.folder)).toEqual([]);
  });

  it('says that a package could not be compiled', async () => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('compiled', {
      'requirements.txt': '--no-index\n./lib\n',
      'lib/pyproject.toml': '[build-system]\nrequires = []\nbuild-backend = "broken"\nbackend-path = ["."]\n',
      'lib/broken.py': 'def build_wheel(*rest, **more): raise SystemExit("error: command \'gcc\' failed")\n',
    });
    expect((await scene.refusal(script)).en).toContain(
      'must be compiled on this machine, and the compilation failed',
    );
  });

  it.each([
    ['an invalid line', '# first\nrequests 2.31\n', '"requests 2.31" is not a valid requirement'],
    ['a missing file', '-r gone.txt\n', '/gone.txt does not exist'],
    ['a missing folder', './gone\n', 'No such file or folder: ./gone'],
  ])('shows what pip says about %s', async (_what, requirements, sentence) => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('nonsense', { 'requirements.txt': requirements });
    expect((await scene.refusal(script)).en).toContain(sentence);
    expect(scene.builds).toHaveLength(1);
    expect(await readdir(scene.folder)).toEqual([]);
  });

  it('names the packages to install if the distribution ships venv or pip separately', async () => {
    const bin = await tempFolder();
    // It creates environments, but neither it nor they have a pip.
    const poor = `#!/bin/sh
case "$*" in
  *sys.executable*) echo 3.11.0; echo "${bin}/python3" ;;
  *"-m venv"*) for target; do :; done; mkdir -p "$target/bin" && cp "$0" "$target/bin/python" ;;
  *) echo "No module named pip" >&2; exit 1 ;;
esac
`;
    await writeFile(join(bin, 'python3'), poor, { mode: 0o755 });
    const scene = await EnvironmentScene.open({ path: `${bin}:/usr/bin:/bin` });
    const { en } = await scene.refusal(await withWheel(scene, 'poor'));
    expect(en).toContain(`The Python at ${bin}/python3 has no pip`);
    expect(en).toContain('apt install python3-venv python3-pip');
  });

  it.skipIf(!canMount)('says that the disk is full, and leaves nothing behind', async () => {
    const disk = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', disk]);
    try {
      const scene = await EnvironmentScene.open({ folder: join(disk, 'environments') });
      const script = await scene.script('large', { 'requirements.txt': `${offline}tiny_one\n` });
      await makeWheel(join(script.folder, 'wheels'), 'tiny_one', '1.0', {
        text: `# ${'x'.repeat(2_000_000)}\n`,
      });
      expect((await scene.refusal(script)).en).toContain('The disk is full');
      expect(await readdir(scene.folder)).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });
});

async function withWheel(scene: EnvironmentScene, name: string) {
  const script = await scene.script(name, { 'requirements.txt': `${offline}tiny_one\n` });
  await makeWheel(join(script.folder, 'wheels'), 'tiny_one', '1.0');
  return script;
}
