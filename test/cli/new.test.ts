import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesOfScript, inputKinds, languages } from '../../src/cli/commands/new/new-script.ts';
import { examineFolder } from '../../src/cli/offline/check-folder.ts';
import { writeScript } from '../../src/cli/write-script.ts';
import { type Hob, launchHob, projectRoot, runCli, tempFolder } from '../support/hob.ts';

let hob: Hob;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hob-test-'));
  hob = await launchHob({ home });
});
afterAll(async () => {
  await hob.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** Creates a script in the home of the running service. */
async function make(name: string, ...args: string[]) {
  const { code, stdout, stderr } = await runCli(['new', name, '--yes', '--home', home, ...args]).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Sends the request of the curl command that `hob new` printed. */
async function sendPrinted(stdout: string) {
  const [, path = '', body = ''] = /curl -sS http:\/\/[^/]+(\/\S+) .*-d '(.+)'\n$/.exec(stdout) ?? [];
  return (await hob.post(path, body)).body;
}

const all = languages.flatMap((language) => inputKinds.map((input) => [language, input] as const));

describe('hob new', () => {
  it.each([
    [['--yes']],
    [['', '--yes']],
    [['a\tb', '--yes']],
    [['x'.repeat(101), '--yes']],
    [['one']],
    [['one', 'two', '--yes']],
    [['one', '--lang', 'cobol']],
    [['one', '--yes', '--input', 'dreams']],
    [['one', '--yes', '--id', '123']],
  ])('%j is a usage error: 2', async (args) => {
    const cwd = await tempFolder();
    const { code, stdout } = await runCli(['new', ...args], { HOB_HOME: cwd }, { cwd }).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each(all)('creates a %s script with %s input that passes hob check', async (language, input) => {
    const folder = join(await tempFolder(), 'script');
    const id = '6e0a3c52-6a40-4f0e-8a55-1c2b9e6f4a10';
    const name = 'Says "x" \\ y';
    await writeScript(
      folder,
      filesOfScript({ id, name, desc: name, language, input, isNode: true }, hob.url),
    );
    expect(await examineFolder(folder)).toMatchObject({ script: { id, name }, problems: [] });
  });

  it('creates Chinese scripts in a Chinese locale', async () => {
    const cwd = await tempFolder();
    const env = { HOB_HOME: cwd, LC_ALL: 'zh_CN.UTF-8' };
    const made = await runCli(['new', '图片', '--yes', '--json'], env, { cwd }).ended;
    expect(JSON.parse(made.stdout)).toMatchObject({
      folder: join(cwd, 'scripts', '图片'),
      language: 'python',
      files: ['script.toml', 'main.py', 'sample.txt', 'pyrightconfig.json', 'README.md'],
    });
    expect(await readFile(join(cwd, 'scripts', '图片', 'main.py'), 'utf8')).toContain(
      'greeting: str = "你好"',
    );
    expect(await examineFolder(join(cwd, 'scripts', '图片'))).toMatchObject({
      script: { name: '图片' },
      problems: [],
    });
  });

  it('creates the script where the running service finds it, and prints a command that runs it', async () => {
    const stdout = await make('数 数', '--lang', 'powershell', '--input', 'text', '--node');
    const folder = join(home, 'scripts', '数-数');
    expect(stdout).toContain(folder);
    expect(stdout).toContain('hob run shu-shu Hello\n');
    const manifest = await readFile(join(folder, 'script.toml'), 'utf8');
    expect(manifest).toContain(`#:schema ${hob.url}/api/script.schema.json\n`);
    const id = /id = "(.+)"/.exec(manifest)?.[1];
    // The command has waited until the service knows the script.
    const { status, body } = await hob.get(`/api/scripts/${id}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { name: '数 数', node: true } });
    expect(stdout).toContain(`curl -sS ${hob.url}/api/scripts/shu-shu/runs `);
    expect(stdout).toContain(`-d '{"data":{"text":["Hello"]},"wait_s":60}'\n`);
  });

  it('prints the slug of a script whose name is taken, as do the lists of runs and the statistics', async () => {
    const first = await make('Twice', '--lang', 'bash', '--input', 'none');
    await sendPrinted(first);
    const lists = async () =>
      (await Promise.all(['runs', 'stats'].map((list) => runCli([list, '--home', home]).ended))).map(
        ({ stdout: list }) => list.match(/Twice(?: \([^)]*\))?(?= {2})/g)?.sort(),
      );
    expect(await lists()).toEqual([['Twice'], ['Twice']]);
    const dir = join(home, 'scripts', 'group');
    await mkdir(dir);
    const stdout = await make('Twice', '--lang', 'bash', '--input', 'none', '--dir', dir);
    expect(stdout).toContain('another script is also named Twice.');
    expect(stdout).toContain('hob run twice-2\n');
    expect(await sendPrinted(stdout)).toMatchObject({ script_name: 'Twice', state: 'succeeded' });
    const titles = ['Twice (twice)', 'Twice (twice-2)'];
    expect(await lists()).toEqual([titles, titles]);
  });

  it('replaces no existing folder and refuses an id in use', async () => {
    const id = '6e0a3c52-6a40-4f0e-8a55-1c2b9e6f4a10';
    await make('First', '--id', id.toUpperCase());
    const manifest = join(home, 'scripts', 'First', 'script.toml');
    const before = await readFile(manifest, 'utf8');
    const again = await runCli(['new', 'First', '--yes', '--home', home]).ended;
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('already exists and was not changed.');
    expect(await readFile(manifest, 'utf8')).toBe(before);
    const other = await runCli(['new', 'Second', '--yes', '--id', id, '--home', home]).ended;
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining(`already has the id ${id}`) });
    expect(await readdir(join(home, 'scripts'))).not.toContain('Second');
  });

  it('prints how to serve a folder that the service does not read', async () => {
    const dir = join(await tempFolder(), 'my scripts');
    const missing = await runCli(['new', 'one', '--yes', '--dir', dir, '--home', await tempFolder()]).ended;
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The folder ${dir} does not exist.`),
    });
    await mkdir(dir);
    const made = await runCli(['new', 'one', '--yes', '--dir', dir, '--home', await tempFolder()]).ended;
    expect(made.stdout).toContain(`hob serve --scripts '${dir}'\n`);
    expect(await readdir(dir)).toEqual(['one']);
  });

  it.each(all.filter(([language]) => language !== 'powershell'))(
    'creates a %s script with %s input that runs',
    async (language, input) => {
      const stdout = await make(`Run ${language} ${input}`, '--lang', language, '--input', input);
      const run = await sendPrinted(stdout);
      const summary = {
        files: '6 byte(s) in 1 file(s)',
        folders: '1 entries in 1 folder(s)',
        text: '5 character(s) in 1 text(s)',
        none: 'Hello',
      };
      expect(run).toMatchObject({ state: 'succeeded', result: { code: 0, msg: summary[input] } });
      const output = await fetch(`${hob.url}/api/runs/${run.run_id}/stdout`);
      expect((await output.text()).trim()).toBe('Hello');
    },
  );

  it('lets editors find the types of hob', async () => {
    await make('Typed', '--lang', 'typescript', '--input', 'text');
    const folder = join(home, 'scripts', 'Typed');
    const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const compile = async () =>
      (await promisify(execFile)('node', [compiler, '-p', folder]).catch((error) => error)).stdout;
    expect(await compile()).toBe('');
    const entry = join(folder, 'main.ts');
    await writeFile(
      join(folder, 'more.mts'),
      "import { Hob } from 'hob/client';\nvoid new Hob().run('x').then(({ state }) => state);\n",
    );
    await writeFile(
      join(folder, 'system.ts'),
      "import { readFileSync } from 'node:fs';\nconst pid: number = process.pid;\nconsole.log(readFileSync('x', 'utf8').length + pid);\n",
    );
    expect(await compile()).toBe('');
    const text = await readFile(entry, 'utf8');
    await writeFile(entry, text.replace('run.progress(', 'run.progres('));
    expect(await compile()).toContain("Did you mean 'progress'?");

    await make('Typed too', '--lang', 'python');
    const settings = await readFile(join(home, 'scripts', 'Typed-too', 'pyrightconfig.json'), 'utf8');
    const { extraPaths } = JSON.parse(settings);
    expect(await readdir(join(extraPaths[0], 'hob'))).toEqual(
      expect.arrayContaining(['__init__.py', 'client.py', 'py.typed']),
    );
  });

  it('creates a TypeScript script that runs where these settings name no folder', async () => {
    const stdout = await make('Moved', '--lang', 'typescript', '--input', 'none');
    const settings = join(home, 'scripts', 'Moved', 'tsconfig.json');
    const text = await readFile(settings, 'utf8');
    await writeFile(settings, text.replaceAll(join(projectRoot, 'sdk'), '/nowhere'));
    expect(await sendPrinted(stdout)).toMatchObject({ state: 'succeeded', result: { msg: 'Hello' } });
  });
});
