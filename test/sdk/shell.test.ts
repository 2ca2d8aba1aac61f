import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { listenTo } from '../support/event-client.ts';
import { projectRoot, runCli, tempFolder } from '../support/hob.ts';
import { openSdkService, type SdkService } from '../support/sdk-scene.ts';

const tables = `
[[service.inputs]]
name = "文件"
type = "list"
[[service.params]]
name = "quality"
type = "int"
default = 85
[[service.params]]
name = "标题"
type = "str"
default = "你 好"
[[service.params]]
name = "sizes"
type = "list"
default = [1, 2]
`;

describe('the `hob` command in bash scripts', () => {
  let service: SdkService;
  beforeAll(async () => {
    service = await openSdkService();
  });
  afterAll(() => service.close());

  const run = async (name: string, text: string, rest: Record<string, unknown> = {}, language = 'bash') => {
    const id = await service.add(name, { language, entry: ['main.sh', text], tables });
    return (await service.hob.run(id, rest)).body;
  };

  it("returns the run's input, and writes its result", async () => {
    const answer = await run(
      '我的 script',
      `set -euo pipefail
mapfile -t files < <(hob input --all)
hob envelope ok --msg "好 了" count:=\${#files[@]} first="$(hob input)" second="$(hob input 2)" \\
  quality:="$(hob param quality)" title="$(hob param 标题)" sizes:="$(hob param sizes)" other="$(hob param none --default 'a b')"
`,
      { data: ['/tmp/甲 乙.png', 'two'], params: { quality: 3 } },
    );
    expect(answer).toMatchObject({ success: true, stdout: '', stderr: '' });
    expect(answer.result).toEqual({
      code: 0,
      msg: '好 了',
      count: 2,
      first: '/tmp/甲 乙.png',
      second: 'two',
      quality: 3,
      title: '你 好',
      sizes: [1, 2],
      other: 'a b',
    });
  });

  it('writes failures, and leaves the exit to the script', async () => {
    const answer = await run(
      'fails',
      'hob envelope fail "磁盘 满了" --code 28 where=/a left:=0; exit 5\n',
      {},
      'sh',
    );
    expect(answer).toMatchObject({
      exit_code: 5,
      result: { code: 28, msg: '磁盘 满了', where: '/a', left: 0 },
    });
  });

  it('links other scripts with params converted as their manifest says, and reports failures', async () => {
    const { child, failing, hidden } = service;
    const answer = await run(
      'links',
      `all=$(hob link ${child} "a b" 乙 -p quality=7 -p note=5 -p more:=[1]) || exit 9
msg=$(hob link ${child} --field msg)
hob link ${failing} 2> failed; failing=$?
hob link ${hidden} 2> refused; hidden=$?
hob link ${child} -p quality=high 2> wrong; wrong=$?
hob envelope ok all:="$all" said="$msg" codes:="[$failing,$hidden,$wrong]" failed="$(cat failed)" refused="$(cat refused)" wrong="$(cat wrong)"
`,
    );
    expect(answer.result).toMatchObject({
      all: { given: { data: { 文件: ['a b', '乙'] }, params: { quality: 7, note: '5', more: [1] } } },
      said: '子 ok',
      codes: [1, 1, 2],
      failed: expect.stringContaining('坏了'),
      refused: expect.stringContaining('hidden'),
      wrong: expect.stringContaining('quality'),
    });
  });

  it('reports progress', async () => {
    const client = await listenTo(`${service.hob.url}/api/events`);
    const answer = await run('progress', 'hob progress 0.4 "第 一 步" && hob envelope ok\n');
    expect(answer).toMatchObject({ success: true, stderr: '' });
    await client.until('it is there', ({ events }) =>
      events.some(({ data }) => data.fraction === 0.4 && data.message === '第 一 步'),
    );
  });

  it('talks to the Hob that runs the script, also if that has another home', async () => {
    const answer = await run(
      'speaks',
      `hob notify info "水 开 了" && hob model path nobody/nothing; code=$?
hob envelope ok known:="$(hob list --json | grep -c '"id"')" path:=$code\n`,
    );
    expect(answer.result).toMatchObject({ code: 0, known: expect.any(Number), path: 1 });
    expect(answer.stderr).toContain('hob model pull nobody/nothing');
    const { body } = await service.hob.get('/api/notifications');
    expect(body.items).toMatchObject([{ message: '水 开 了', run_id: expect.any(String) }]);
  });

  it('accepts long values, and messages that begin with a dash', async () => {
    const big = 'x'.repeat(200_000);
    const answer = await run(
      'much',
      `mapfile -t files < <(hob input --all)
title=$(hob param 标题)
hob envelope fail "-bad" --code 3 files:=\${#files[@]} title:=\${#title}\n`,
      {
        data: Array.from({ length: 20_000 }, (_, index) => `/tmp/file number ${index}`),
        params: { 标题: big },
      },
    );
    expect(answer.result).toEqual({ code: 3, msg: '-bad', files: 20_000, title: big.length });
  });

  it('does not replace a `hob` command that is already on PATH', async () => {
    const { hob, add, scripts } = service;
    const folder = join(scripts, 'own', 'bin folder');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'hob'), '#!/bin/sh\necho another\n', { mode: 0o755 });
    const id = await add('own', {
      entry: ['main.sh', 'hob; echo "$PATH"'],
      runtime: `env = { PATH = "${folder}:/usr/bin:/bin" }`,
    });
    const shell = join(projectRoot, 'sdk', 'shell');
    expect((await hob.run(id)).body.stdout).toBe(`another\n${folder}:/usr/bin:/bin:${shell}\n`);
  });
});

describe('the script command at a terminal', () => {
  it('needs no run for what works without one', async () => {
    const ok = await runCli(['envelope', 'ok', 'a=1', 'b:=[1]']).ended;
    expect(ok).toEqual({ code: 0, stdout: '{"code":0,"msg":"ok","a":"1","b":[1]}\n', stderr: '' });
    const param = await runCli(['param', 'quality', '--default', '85']).ended;
    expect(param).toEqual({ code: 0, stdout: '85\n', stderr: '' });
    const progress = await runCli(['progress', '0.5', 'half']).ended;
    expect(progress).toEqual({ code: 0, stdout: '', stderr: '50% half\n' });
    for (const args of [['input'], ['param', 'x'], ['link', 'x']]) {
      const { code, stderr } = await runCli(args).ended;
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--file "$1"') });
    }
  });

  it('accepts a given parameter file, and reports what is wrong with it', async () => {
    const folder = join(await tempFolder(), '我的 run');
    await mkdir(folder);
    const [file, output] = [join(folder, 'params.json'), join(folder, 'result.json')];
    const environment = { api_base: 'http://127.0.0.1:1', output_json: output };
    await writeFile(
      file,
      JSON.stringify({ environment, data: { a: ['x'] }, params: { empty: null, name: 'a\nb' } }),
    );
    const hob = (...args: string[]) => runCli([...args, '--file', file], { LANG: 'en_US.UTF-8' }).ended;
    expect(await hob('input')).toEqual({ code: 0, stdout: 'x\n', stderr: '' });
    expect((await hob('input', '--json')).stdout).toBe('"x"\n');
    expect((await hob('input', '--all', '--json')).stdout).toBe('["x"]\n');
    expect((await hob('param', 'name', '--json')).stdout).toBe('"a\\nb"\n');
    expect((await hob('param', 'empty', '--default', 'none', '--json')).stdout).toBe('"none"\n');
    expect(await hob('envelope', 'ok', 'a=1')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(output, 'utf8')).toBe('{"code":0,"msg":"ok","a":"1"}');
    // A missing Hob is no reason for a script to fail, unless it needs it.
    expect(await hob('progress', '1')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await hob('link', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No response from Hob'),
    });
    expect(await hob('input', '2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the run has 1'),
    });
    expect(await hob('param', 'empty')).toMatchObject({ code: 1, stderr: expect.stringContaining('empty') });
    const foreign = await runCli(['input', '--file', join(projectRoot, 'package.json')]).ended;
    expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('not a parameter file') });
    const missing = await runCli(['input', '--file', join(folder, 'none')]).ended;
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT') });
  });

  it.each([
    [['envelope']],
    [['envelope', 'ok', 'a']],
    [['envelope', 'ok', '=1']],
    [['envelope', 'ok', 'a:=x']],
    [['envelope', 'ok', 'code=1']],
    [['envelope', 'ok', '__proto__=1']],
    [['envelope', 'fail']],
    [['envelope', 'fail', 'x', '--code', '0']],
    [['input', 'x']],
    [['input', '1', '--all']],
    [['progress', '2']],
    [['progress']],
    [['param']],
    [['link']],
  ])('%j is a usage error: 2', async (args) => {
    const { code, stdout } = await runCli(args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('speaks Chinese', async () => {
    const { code, stderr } = await runCli(['param', 'x'], { LC_ALL: 'zh_CN.UTF-8' }).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('要在 Hob 运行的脚本中使用'),
    });
  });
});
