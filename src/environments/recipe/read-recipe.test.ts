import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { someScript } from '../../../test/support/some-script.ts';
import type { Script } from '../../scripts/script.ts';
import { checkRecipe, examineRecipe } from './read-recipe.ts';
import type { Recipe } from './recipe.ts';

async function scriptWith(
  files: Record<string, string | Uint8Array>,
  runtime: Partial<Script['runtime']> = {},
): Promise<Script> {
  const folder = await tempFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return someScript({ folder, runtime: { ...someScript().runtime, ...runtime } });
}

/** The recipe of a script. Throws its first error. */
async function readRecipe(script: Script): Promise<Recipe | null> {
  const { recipe, problems } = await examineRecipe(script);
  const error = problems.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(error.message.en);
  return recipe;
}

const node = { language: 'node.js', entry: 'main.mjs' } as const;

/** Each problem as `severity file:line: message`. */
async function problemsOf(script: Script): Promise<string[]> {
  return (await checkRecipe(script)).map(
    ({ severity, file, line, message }) =>
      `${severity} ${file.slice(script.folder.length + 1)}:${line}: ${message.en}`,
  );
}

const block = (...lines: string[]) =>
  ['# /// script', ...lines.map((line) => `# ${line}`), '# ///', ''].join('\n');

describe('the recipe of a Python script', () => {
  it('comes from the metadata block of the entry first, with any line endings', async () => {
    const entry = `#!/usr/bin/env python3\n${block('requires-python = ">=3.9"', 'dependencies = ["a>=1", "b"]')}print()\n`;
    const script = await scriptWith({ 'main.py': entry.replaceAll('\n', '\r\n'), 'requirements.txt': 'c\n' });
    expect(await readRecipe(script)).toMatchObject({
      kind: 'python',
      lines: ['a>=1', 'b'],
      requiresPython: '>=3.9',
    });
  });

  it('is null when the metadata block has no dependencies', async () => {
    const script = await scriptWith({ 'main.py': block('dependencies = []'), 'requirements.txt': 'c\n' });
    expect(await readRecipe(script)).toBeNull();
  });

  it('comes from requirements.txt before pyproject.toml, with all included files', async () => {
    const script = await scriptWith({
      'requirements.txt': 'a\n-r sub/more.txt\n-f wheels\n',
      'sub/more.txt': '-r more.txt\n-c limits.txt\nb==1\n',
      'sub/limits.txt': 'c<3\n',
      'wheels/x-1-py3-none-any.whl': 'x',
      'wheels/readme.md': 'x',
      'pyproject.toml': '[project]\ndependencies = ["d"]\n',
    });
    const recipe = await readRecipe(script);
    expect(recipe).toMatchObject({ kind: 'python', requirements: ['a', 'b==1'], lines: null });
    expect(recipe?.inputs.map(({ name }) => name)).toEqual([
      'requirements.txt',
      'sub/more.txt',
      'sub/limits.txt',
      'wheels/x-1-py3-none-any.whl',
    ]);
  });

  it('is the same for a copy of the folder', async () => {
    const files = { 'requirements.txt': 'a\n-r sub/more.txt\n', 'sub/more.txt': 'b\n' };
    const inputs = await Promise.all(
      [0, 1].map(async () =>
        (await readRecipe(await scriptWith(files)))?.inputs.map(({ name, fingerprint }) => [
          name,
          fingerprint,
        ]),
      ),
    );
    expect(inputs[0]).toEqual(inputs[1]);
  });

  it.each(['./libs/mine', 'libs/mine', 'mine', 'mine[extra]', `\${HERE}/mine`])(
    'is bound to its folder if it uses code in place, as with -e %s',
    async (path) => {
      const project = '[project]\nname = "mine"\nversion = "1"\n';
      const script = await scriptWith({
        'requirements.txt': `-e ${path}\n`,
        'libs/mine/pyproject.toml': project,
        'mine/pyproject.toml': project,
      });
      expect(await problemsOf(script)).toEqual([]);
      expect(await readRecipe(script)).toMatchObject({ isBoundToFolder: true });
    },
  );

  it('may name files with variables that only pip can resolve', async () => {
    const text = `-r \${HERE}/more.txt\nx @ file://\${HERE}/x.whl\n\${HERE}/mine\n`;
    const script = await scriptWith({ 'requirements.txt': text });
    expect(await problemsOf(script)).toEqual([]);
    expect(await readRecipe(script)).not.toBeNull();
  });

  it('is converted to UTF-8 for the tool if its file is GBK', async () => {
    const comment = Buffer.from([0x23, 0xc4, 0xe3, 0xba, 0xc3, 0x0d, 0x0a]);
    const [text, includes] = [Buffer.from('a==1\r\n'), Buffer.from('-r more.txt\r\n')];
    const alone = await scriptWith({ 'requirements.txt': Buffer.concat([comment, text]) });
    expect(await readRecipe(alone)).toMatchObject({ requirements: ['a==1'], lines: ['#你好', 'a==1', ''] });
    const files = { 'requirements.txt': Buffer.concat([comment, includes]), 'more.txt': text };
    expect(await problemsOf(await scriptWith(files))).toEqual([
      'error requirements.txt:null: This file is not UTF-8, so pip cannot read it',
    ]);
  });

  it('comes from pyproject.toml, with the lock file of uv', async () => {
    const script = await scriptWith({
      'pyproject.toml': '[project]\nrequires-python = "~=3.10"\ndependencies = ["d"]\n',
      'uv.lock': 'version = 1\n',
    });
    const recipe = await readRecipe(script);
    expect(recipe).toMatchObject({
      lines: ['d'],
      requiresPython: '~=3.10',
      uvLock: join(script.folder, 'uv.lock'),
    });
    expect(recipe?.inputs.map(({ name }) => name)).toEqual(['uv.lock', 'pyproject.toml']);
  });

  it('contains no password', async () => {
    const script = await scriptWith({ 'requirements.txt': 'x @ https://me:secret@host/x.whl\n' });
    expect((await readRecipe(script))?.requirements).toEqual(['x @ https://***@host/x.whl']);
  });

  it.each([
    [
      'an open block',
      { 'main.py': '#\n# /// script\n# dependencies = []\nprint()\n' },
      ['note main.py:2: The metadata block that starts here has no end'],
    ],
    [
      'two blocks',
      { 'main.py': `${block('dependencies = []')}\n${block('dependencies = []')}` },
      ['error main.py:5: The file has a second metadata block'],
    ],
    [
      'invalid TOML in a block',
      { 'main.py': `x = 1\n${block('dependencies = [', 'a')}` },
      [expect.stringMatching(/^error main\.py:[45]: Not valid TOML/)],
    ],
    [
      'a wrong dependency in a block',
      { 'main.py': `x = 1\n${block('dependencies = [', '  "a",', '  7,', ']')}` },
      ['error main.py:5: This is not a valid requirement'],
    ],
    [
      'a wrong version in a block',
      { 'main.py': block('requires-python = "new"', 'dependencies = ["a"]') },
      ['error main.py:2: `requires-python` is not a valid range'],
    ],
    [
      'an option of pip in a block',
      { 'main.py': block('dependencies = ["--pre"]') },
      ['error main.py:2: This is not a valid requirement'],
    ],
    [
      'poetry',
      { 'pyproject.toml': '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\npython = "^3.9"\n' },
      ['note pyproject.toml:3: Hob does not install the packages of [tool.poetry.dependencies]'],
    ],
    [
      'dynamic dependencies',
      { 'pyproject.toml': '[project]\nname = "x"\ndynamic = ["dependencies"]\n' },
      ['note pyproject.toml:3: Hob does not install the packages of dynamic = ["dependencies"]'],
    ],
    [
      'a text in place of a list',
      { 'pyproject.toml': '[project]\ndependencies = "a"\n' },
      ['error pyproject.toml:2: This is not a valid requirement'],
    ],
    ['the settings of tools', { 'pyproject.toml': '[tool.ruff]\nline-length = 100\n' }, []],
  ] as const)('reports %s with its line', async (_what, files, problems) => {
    expect(await problemsOf(await scriptWith({ 'main.py': '', ...files }))).toEqual(problems);
  });

  it.each(['a b\n', './gone\n', '-r gone.txt\n', '-c gone.txt\n'])(
    'leaves it to the tool to refuse the line %j',
    async (text) => {
      const script = await scriptWith({ 'requirements.txt': text });
      expect(await problemsOf(script)).toEqual([]);
      expect((await readRecipe(script))?.requirements).toEqual([text.trim()]);
    },
  );

  it('is not read from an invalid metadata block', async () => {
    const script = await scriptWith({ 'main.py': block('dependencies = [7]') });
    await expect(readRecipe(script)).rejects.toThrow('This is not a valid requirement');
  });

  it('may include itself recursively', async () => {
    const script = await scriptWith({ 'requirements.txt': '-r requirements.txt\na\n' });
    expect((await readRecipe(script))?.requirements).toEqual(['a']);
  });
});

describe('the recipe of a script for Node.js', () => {
  it('is the part of package.json that npm needs, without scripts', async () => {
    const described = {
      name: 'x',
      type: 'module',
      scripts: { postinstall: 'boom' },
      dependencies: { a: '^1' },
      devDependencies: { b: '1' },
    };
    const script = await scriptWith({ 'package.json': JSON.stringify(described), '.npmrc': 'x=y\n' }, node);
    const recipe = await readRecipe(script);
    expect(recipe).toMatchObject({
      kind: 'node',
      requirements: ['a@^1'],
      lockFile: null,
      copies: ['.npmrc'],
    });
    expect(recipe?.kind === 'node' && JSON.parse(recipe.packageJson)).toEqual({
      dependencies: { a: '^1' },
      private: true,
    });
  });

  it('includes the lock file, and all dependencies that the lock file covers', async () => {
    const described = { dependencies: { a: '^1' }, devDependencies: { b: '1' } };
    const script = await scriptWith(
      { 'package.json': JSON.stringify(described), 'package-lock.json': '{}', 'yarn.lock': '' },
      { ...node, language: 'typescript' },
    );
    const recipe = await readRecipe(script);
    expect(recipe).toMatchObject({ lockFile: 'package-lock.json', copies: ['package-lock.json'] });
    expect(recipe?.kind === 'node' && JSON.parse(recipe.packageJson).devDependencies).toEqual({ b: '1' });
    expect(await problemsOf(script)).toEqual([]);
  });

  it('includes its workspaces, so that npm does not fetch packages of the same name', async () => {
    const script = await scriptWith(
      {
        'package.json': JSON.stringify({
          workspaces: ['./tools', 'packages/*'],
          dependencies: { mine: '1' },
        }),
        'packages/mine/package.json': '{"name":"mine","version":"1.0.0"}',
        'packages/mine/node_modules/x.js': '',
        'packages/none/readme.md': '',
        'tools/package.json': '{"name":"tools","version":"1.0.0"}',
      },
      node,
    );
    const recipe = await readRecipe(script);
    expect(recipe).toMatchObject({
      requirements: ['mine@1', './packages/mine', './tools'],
      copies: ['packages/mine', 'tools'],
      packageJson: expect.stringContaining('"packages/mine"'),
    });
    expect(recipe?.inputs.map(({ name }) => name)).toEqual([
      'packages/mine/package.json',
      'tools/package.json',
    ]);
  });

  it.each(['../elsewhere', '**/x', 'a*/b'])('cannot have the workspace %s', async (workspace) => {
    const script = await scriptWith({ 'package.json': JSON.stringify({ workspaces: [workspace] }) }, node);
    expect(await problemsOf(script)).toEqual([
      `error package.json:null: The workspace "${workspace}" is not a folder inside the folder of the script`,
    ]);
  });

  it('may use an archive in the same folder', async () => {
    const dependencies = { mine: 'mine-1.0.0.tgz' };
    const files = { 'package.json': JSON.stringify({ dependencies }), 'mine-1.0.0.tgz': 'x' };
    expect(await readRecipe(await scriptWith(files, node))).toMatchObject({ copies: ['mine-1.0.0.tgz'] });
  });

  it('replaces the link of an earlier environment', async () => {
    const script = await scriptWith({ 'package.json': '{"dependencies":{"a":"1"}}' }, node);
    await symlink(
      `/old/home/environments/${'0'.repeat(32)}/b-00000000/node_modules`,
      join(script.folder, 'node_modules'),
    );
    expect(await readRecipe(script)).not.toBeNull();
  });

  it.each([
    [
      'a lock of another tool',
      { 'package.json': '{"dependencies":{"a":"1"}}', 'yarn.lock': '' },
      ['note yarn.lock:null: Hob installs with npm, which ignores this lock file'],
    ],
    [
      'invalid JSON',
      { 'package.json': '{\n"dependencies": ' },
      ['error package.json:null: Not valid JSON: it ends too early'],
    ],
    [
      'a wrong range',
      { 'package.json': '{\n"dependencies": {\n"a": 1}}' },
      ['error package.json:3: "a" is not in the form that npm expects'],
    ],
    [
      'a wrong list',
      { 'package.json': '{"dependencies": ["a"]}' },
      ['error package.json:1: "dependencies" is not in the form that npm expects'],
    ],
    [
      'a name that is a path',
      { 'package.json': '{"dependencies": {"../a": "1"}}' },
      ['error package.json:1: "../a" is not in the form that npm expects'],
    ],
    [
      'a package outside the folder',
      { 'package.json': '{"dependencies":{"a":"../a"}}' },
      ['error package.json:null: The package "a" is at ../a, outside the folder of the script'],
    ],
    [
      'a missing package',
      { 'package.json': '{"dependencies":{"a":"link:a"}}' },
      ['error package.json:null: The package "a" does not exist at a'],
    ],
    [
      'a package of a workspace',
      { 'package.json': '{"dependencies":{"a":"workspace:*"}}' },
      ['error package.json:null: The package "a" uses "workspace:", which npm does not support'],
    ],
    ['nothing to install', { 'package.json': '{"name":"x"}', 'pnpm-lock.yaml': '' }, []],
  ] as const)('reports %s', async (_what, files, problems) => {
    expect(await problemsOf(await scriptWith(files, node))).toEqual(problems);
  });

  it('is null for languages with their own package management', async () => {
    const files = { 'package.json': '{"dependencies":{"a":"1"}}', 'requirements.txt': 'a\n' };
    for (const language of ['bun', 'deno', 'bash'] as const) {
      expect(await readRecipe(await scriptWith(files, { language }))).toBeNull();
    }
  });
});
