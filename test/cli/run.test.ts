import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type CommandScene, english, launchScene } from '../support/command-scene.ts';
import { runCli, tempFolder } from '../support/hob.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

/** Returns its input and params with code 0. */
const echo = python(
  'write({"code": 0, "msg": "done", "data": run["data"], "params": run["params"], "mode": env["invoke_mode"]})',
);
const manyParams = `
[[service.params]]
name = "count"
type = "int"
default = 1
[[service.params]]
name = "ratio"
type = "float"
[[service.params]]
name = "loud"
type = "bool"
[[service.params]]
name = "tags"
type = "list"
[[service.params]]
name = "more"
type = "dict"
[[service.params]]
name = "mode"
type = "str"
choices = ["fast", "slow"]
[[service.params]]
name = "upload_key"
type = "str"
secret = true
`;

let scene: CommandScene;

beforeAll(async () => {
  scene = await launchScene(async (scripts) => {
    await writeScript(scripts, 'files', {
      name: 'Count Files',
      entry: echo,
      language: 'python',
      tables: '[[service.inputs]]\nname = "files"\ntype = "list"\npick = "files"\n',
    });
    await writeScript(scripts, 'words', {
      name: '统计 words',
      entry: echo,
      language: 'python',
      tables: `[[service.inputs]]\nname = "words"\ntype = "list"\n${manyParams}`,
    });
    await writeScript(scripts, 'one', {
      name: 'One Word',
      tables:
        '[[service.inputs]]\nname = "word"\ntype = "str"\n[[service.params]]\nname = "needed"\nrequired = true\n',
    });
    await writeScript(scripts, 'bytes', {
      name: 'bytes',
      entry: bash(String.raw`printf '\xff\xfe\x00 中 no end'; printf '\x80 err' >&2`),
    });
    await writeScript(scripts, 'bad-code', {
      name: 'bad code',
      entry: bash(`echo '{"code":7,"msg":"not today","paths":["/a b","/c"]}' > "$output"`),
    });
    await writeScript(scripts, 'bad-exit', { name: 'bad exit', entry: bash('echo why >&2; exit 9') });
    await writeScript(scripts, 'silent', { name: 'silent', entry: bash('true') });
    await writeScript(scripts, 'forever', { name: 'forever', entry: bash('echo begun; exec sleep 600') });
    await writeScript(scripts, 'flood', { name: 'flood', entry: bash('seq 1 200000') });
  });
  await mkdir(join(scene.folder, 'sub'));
  await writeFile(join(scene.folder, 'sub', '图 1.txt'), '');
});
afterAll(() => scene.stop());

async function runIds(): Promise<string[]> {
  const { body } = await scene.hob.get('/api/runs');
  const { items } = body as { items: { run_id: string }[] };
  return items.map(({ run_id }) => run_id);
}

/** The input and params that the echo script received. */
async function given(cli: ReturnType<typeof runCli>) {
  const { code, stdout, stderr } = await cli.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout).result;
}

describe('hob run', () => {
  it('passes every byte through to the same stream, and prints the result to stderr', async () => {
    const cli = scene.cli('run', 'bytes');
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    cli.child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    cli.child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    expect((await cli.ended).code).toBe(0);
    const expected = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(' 中 no end')]);
    expect(Buffer.concat(stdout).equals(expected)).toBe(true);
    expect(Buffer.concat(stderr).subarray(0, 5)).toEqual(Buffer.from('\x80 err', 'latin1'));
    expect(Buffer.concat(stderr).toString()).toMatch(
      /bytes: succeeded \(.+\)\n(?:.*\n)*run [0-9a-f-]{36}\n$/,
    );
  });

  it('makes paths absolute, and refuses missing ones before the run', async () => {
    const { data, mode } = await given(scene.cli('run', 'count files', 'sub/图 1.txt', '--json'));
    expect(data).toEqual({ files: [join(scene.folder, 'sub', '图 1.txt')] });
    expect(mode).toBe('manual');
    const before = await runIds();
    const { code, stderr } = await scene.cli('run', 'count', 'sub', 'nowhere').ended;
    expect(code).toBe(1);
    expect(stderr).toContain(`do not exist:\n  ${join(scene.folder, 'nowhere')}\n`);
    expect(await runIds()).toEqual(before);
  });

  it('reads values from stdin, one per line, and passes other values unchanged', async () => {
    const { data } = await given(scene.piped('a b\n\n中\r\n', 'run', '统计', 'first', '-', '--json'));
    expect(data).toEqual({ words: ['first', 'a b', '中'] });
  });

  it('converts each param to the declared type', async () => {
    const args = ['count=-3', 'ratio=0.5', 'loud=off', 'tags=a, b', 'more={"a":[1]}', 'mode=slow'];
    const { params } = await given(
      scene.cli('run', 'words', '--json', ...args.flatMap((each) => ['-p', each])),
    );
    expect(params).toMatchObject({
      count: -3,
      ratio: 0.5,
      loud: false,
      tags: ['a', 'b'],
      more: { a: [1] },
      mode: 'slow',
    });
    const repeated = await given(
      scene.cli('run', 'words', '--json', '--undeclared', '-p', 'tags=a,b', '-p', 'tags=c', '-p', 'extra=12'),
    );
    expect(repeated.params).toMatchObject({ tags: ['a,b', 'c'], extra: 12, count: 1 });
  });

  it('reads a secret from stdin or a file, and warns about one on the command line', async () => {
    const key = join(scene.folder, 'key.txt');
    await writeFile(key, 'from-file\n');
    const fromFile = await given(scene.cli('run', 'words', '--json', '-p', `upload_key=@${key}`));
    const fromPipe = await given(scene.piped('piped\n', 'run', 'words', '--json', '-p', 'upload_key=@-'));
    expect([fromFile.params.upload_key, fromPipe.params.upload_key]).toEqual(['from-file', 'piped']);
    const { code, stdout, stderr } = await scene.cli('run', 'words', '--json', '-p', 'upload_key=@@x').ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).result.params.upload_key).toBe('@x');
    expect(stderr).toContain('upload_key is a secret. On the command line it is visible to other users');
  });

  it.each([
    [['words', '-p', 'coutn=1'], 'has no param "coutn". Did you mean count?'],
    [['words', '-p', 'count=1.5'], 'Invalid value "1.5" for count: expected an integer.'],
    [['words', '-p', 'mode=@nowhere'], '-p mode=@@nowhere'],
    [['one', 'a', 'b'], 'One Word accepts one input value (word), but got 2.'],
    [['one'], 'One Word requires needed, and there is no terminal to prompt on. Add: -p needed=...'],
    [['silent', '--timeout', '1', '--async'], "cannot be used with option '--async'"],
  ])('%j is a usage error: 2', async (args, said) => {
    const { code, stdout, stderr } = await scene.cli('run', ...args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });

  it('reads stdin for one purpose only', async () => {
    const { code, stderr } = await scene.piped('x', 'run', 'words', '-', '-p', 'mode=@-').ended;
    expect(code).toBe(2);
    expect(stderr).toContain('stdin can be read only once');
  });

  it('lists the candidates for an ambiguous name, and suggests a name for a typing error', async () => {
    const several = await scene.cli('run', 'BAD').ended;
    expect(several.code).toBe(1);
    expect(several.stderr).toMatch(
      /Several scripts match "BAD".*(?:\n.*)*\n {2}bad-(code|exit) \([0-9a-f]{8}\) {2}bad \1\n/,
    );
    const slip = await scene.cli('run', 'slient').ended;
    expect(slip.stderr).toContain('Did you mean "silent"?\nTo list all scripts: hob list');
  });

  it('exits with 0 only if the run succeeded and its own envelope has code 0', async () => {
    const [badCode, badExit, silent] = await Promise.all([
      scene.cli('run', 'bad code').ended,
      scene.cli('run', 'bad exit').ended,
      scene.cli('run', 'silent').ended,
    ]);
    expect([badCode.code, badExit.code, silent.code]).toEqual([1, 1, 0]);
    expect(badCode.stderr).toMatch(
      /^bad code: reported code 7 \(.+\)\n {2}not today\n {2}paths {2}\/a b\n {9}\/c\nrun /,
    );
    expect(badExit.stderr).toMatch(/^why\nbad exit: The script failed with exit code 9 \(/);
    expect(silent.stderr).toMatch(
      /^silent: succeeded \(.+\)\n {2}The script exited with code 0, but wrote no result/,
    );
  });

  it('prints the eight fields of the execution response and the run id as JSON', async () => {
    const { code, stdout, stderr } = await scene.cli('run', 'bad exit', '--json').ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const answer = JSON.parse(stdout);
    const { body } = await scene.hob.run(
      (await scene.hob.get(`/api/runs/${answer.run_id}`)).body.script_id as string,
    );
    expect(Object.keys(answer)).toEqual([...Object.keys(body), 'run_id']);
    expect(answer).toMatchObject({
      status: 'error',
      exit_code: 9,
      success: false,
      timed_out: false,
      stderr: 'why\n',
    });
  });

  it('sends the origin cli only if it follows the run', async () => {
    const { code, stdout, stderr } = await scene.cli('run', 'silent', '--async').ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(stderr).toBe(`To follow the output: hob logs ${stdout.trim()} -f\n`);
    const left = await scene.hob.ended(stdout.trim());
    const watched = JSON.parse(
      (await scene.cli('run', 'silent', '--async', '--follow', '--json').ended).stdout,
    );
    const record = await scene.hob.ended(watched.run_id);
    expect([left.origin, record.origin]).toEqual(['execute', 'cli']);
  });

  it('cancels the run when --timeout expires: 124', async () => {
    const { code, stdout, stderr } = await scene.cli('run', 'forever', '--timeout', '1').ended;
    expect({ code, stdout }).toEqual({ code: 124, stdout: 'begun\n' });
    expect(stderr).toContain('The timeout expired.');
    const [, runId = ''] = /run ([0-9a-f-]{36})\n$/.exec(stderr) ?? [];
    expect(await scene.hob.ended(runId)).toMatchObject({ end_cause: 'cancelled' });
  });

  it('continues when stdout is closed', async () => {
    const wrapper = ['sh', '-c', '"$@" | head -n 1', 'sh'];
    const env = { ...english, HOB_HOME: scene.hob.home };
    const { stdout, stderr } = await runCli(['run', 'flood'], env, { wrapper }).ended;
    expect(stdout).toBe('1\n');
    expect(stderr).toMatch(/^flood: succeeded/);
  });

  it('speaks Chinese in a Chinese locale', async () => {
    const env = { LC_ALL: 'zh_CN.UTF-8', HOB_HOME: scene.hob.home };
    const { stderr } = await runCli(['run', 'bad exit'], env).ended;
    expect(stderr).toContain('bad exit：脚本执行失败，退出码 9');
    expect((await runCli(['run', 'words', '-p', 'coutn=1'], env).ended).stderr).toContain('是不是 count？');
  });

  it('resumes when the service is killed and restarted', async () => {
    const scripts = await tempFolder();
    const go = join(scripts, 'go');
    await writeScript(scripts, 'patient', {
      name: 'patient',
      entry: bash(`echo first; until [ -e '${go}' ]; do sleep 0.05; done; echo second`),
    });
    const service = await startRestartable({ scripts: [scripts] });
    const cli = runCli(['run', 'patient'], { ...english, HOB_HOME: service.hob.home });
    await until('it has begun', async () => cli.output.stdout === 'first\n');
    await service.restart('SIGKILL');
    await writeFile(go, '');
    const { code, stdout, stderr } = await cli.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'first\nsecond\n' });
    expect(stderr).toMatch(
      /^(?:Hob has stopped\. Waiting for it to start again \.\.\.\n)?patient: succeeded/,
    );
  });
});
