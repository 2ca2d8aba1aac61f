import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { METHODS } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import Value from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { resolveReferences } from '../../src/contract/references.ts';
import { ask } from '../support/ask.ts';
import { type Answer, type Hob, launchHob } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';

/** Every row of the interface, over real HTTP, in every applicable content type. Whole bodies are compared. */
const ids = {
  ok: '0a111111-1111-4111-8111-111111111111',
  node: '0b111111-1111-4111-8111-111111111111',
  plain: '0c111111-1111-4111-8111-111111111111',
  typed: '0d111111-1111-4111-8111-111111111111',
  twice: '0e111111-1111-4111-8111-111111111111',
  broken: '0f111111-1111-4111-8111-111111111111',
  entryGone: '10111111-1111-4111-8111-111111111111',
  unknown: '99999999-9999-4999-8999-999999999999',
};

let folder: string;
let hob: Hob;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hob-contract-'));
  const scripts = join(folder, 'scripts');
  const echo = python(
    'print("out"); print("err", file=sys.stderr)\nwrite({"code": 0, "msg": "done", "data": run["data"], "params": run["params"]})',
  );
  await writeScript(scripts, 'ok', {
    id: ids.ok,
    name: 'Ok',
    language: 'python',
    entry: echo,
    tables: '[[service.inputs]]\nname = "files"\n',
  });
  await writeScript(scripts, 'node', {
    id: ids.node,
    name: 'Node',
    language: 'python',
    entry: echo,
    node: true,
    tables: '[[service.inputs]]\nname = "files"\n',
  });
  await writeScript(scripts, 'plain', { id: ids.plain, language: 'python', entry: echo });
  await writeScript(scripts, 'typed', {
    id: ids.typed,
    name: 'Typed',
    language: 'python',
    entry: echo,
    node: true,
    tables: `
[[service.inputs]]
name = "files"
[[service.params]]
name = "quality"
type = "int"
default = 85
[[service.params]]
name = "mode"
type = "str"
choices = ["fast", "good"]
default = "good"
[[service.params]]
name = "title"
type = "str"
required = true
`,
  });
  await writeScript(scripts, 'twice-1', { id: ids.twice });
  await writeScript(scripts, 'twice-2', { id: ids.twice });
  await writeScript(scripts, 'broken', { id: ids.broken, runtime: 'timeout = "soon"' });
  await writeScript(scripts, 'entry-gone', { id: ids.entryGone, node: true });
  await rm(join(scripts, 'entry-gone', 'main.sh'));
  await mkdir(join(folder, 'home'));
  await mkdir(join(folder, 'home', 'models', 'acme', 'tiny'), { recursive: true });
  await writeFile(join(folder, 'home', 'models', 'acme', 'tiny', 'model.onnx'), 'x');
  await mkdir(join(folder, 'home', 'models', 'acme', 'half'), { recursive: true });
  await writeFile(join(folder, 'home', 'models', 'acme', 'half', 'model.onnx.incomplete'), 'x');
  hob = await launchHob({ home: join(folder, 'home'), scripts: [scripts] });
});

afterAll(async () => {
  await hob?.stop();
  await rm(folder, { recursive: true, force: true });
});

const error = (message: unknown) => ({ status: 'error', message });
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const named = (...words: (string | RegExp)[]) =>
  expect.stringMatching(
    new RegExp(
      words.map((word) => (typeof word === 'string' ? `(?=[\\s\\S]*${word})` : word.source)).join(''),
    ),
  );

interface Row {
  title: string;
  fields: Record<string, unknown>;
  status: number;
  code?: string;
  body: unknown;
}

/** Rows that execute and link share, as JSON. */
const sharedRows: Row[] = [
  {
    title: 'script_id missing',
    fields: {},
    status: 400,
    code: 'script-id-missing',
    body: error('缺少script_id参数'),
  },
  {
    title: 'script_id empty',
    fields: { script_id: '' },
    status: 400,
    code: 'script-id-missing',
    body: error('缺少script_id参数'),
  },
  {
    title: 'no such script',
    fields: { script_id: ids.unknown },
    status: 404,
    code: 'script-unknown',
    body: error(`脚本不存在: ${ids.unknown}`),
  },
  {
    title: 'script_id is not a UUID',
    fields: { script_id: 'nope' },
    status: 404,
    code: 'script-unknown',
    body: error('脚本不存在: nope'),
  },
  {
    title: 'id used twice',
    fields: { script_id: ids.twice },
    status: 409,
    code: 'script-unusable',
    body: error(named(ids.twice, 'twice-1', 'twice-2')),
  },
  {
    title: 'manifest broken',
    fields: { script_id: ids.broken },
    status: 409,
    code: 'script-unusable',
    body: error(named('broken', 'timeout')),
  },
  {
    title: 'entry gone',
    fields: { script_id: ids.entryGone },
    status: 409,
    code: 'script-unusable',
    body: error(named('entry-gone', 'main.sh')),
  },
  {
    title: 'data of the wrong type',
    fields: { script_id: ids.node, data: 5 },
    status: 400,
    code: 'data-invalid',
    body: error(named('data')),
  },
  {
    title: 'data with an unknown key',
    fields: { script_id: ids.node, data: { other: [] } },
    status: 400,
    code: 'data-invalid',
    body: error(named('other', 'files')),
  },
  {
    title: 'data with values that are not texts',
    fields: { script_id: ids.node, data: { files: [1] } },
    status: 400,
    code: 'data-invalid',
    body: error(named('files')),
  },
  {
    title: 'params of the wrong type',
    fields: { script_id: ids.node, params: [1] },
    status: 400,
    code: 'params-invalid',
    body: error(named('params')),
  },
  {
    title: 'a param of the wrong type',
    fields: { script_id: ids.typed, params: { title: 'x', quality: 'high' } },
    status: 400,
    code: 'params-invalid',
    body: error(named('quality', 'int')),
  },
  {
    title: 'a required param missing',
    fields: { script_id: ids.typed },
    status: 400,
    code: 'params-invalid',
    body: error(named('title')),
  },
  {
    title: 'a param that is not one of its choices',
    fields: { script_id: ids.typed, params: { title: 'x', mode: 'best' } },
    status: 400,
    code: 'params-invalid',
    body: error(named('mode', 'fast, good')),
  },
];

const executeRows: Row[] = [
  ...sharedRows,
  {
    title: 'asynchronous',
    fields: { script_id: ids.ok },
    status: 200,
    body: { status: 'success', message: '脚本执行请求已接收', run_id: uuid },
  },
  {
    title: 'temp_file missing',
    fields: { script_id: ids.ok, temp_file: '/nowhere/at/all.json' },
    status: 404,
    code: 'temp-file-missing',
    body: error('文件不存在: /nowhere/at/all.json'),
  },
  {
    title: 'temp_file relative',
    fields: { script_id: ids.ok, temp_file: 'a.json' },
    status: 400,
    code: 'temp-file-invalid',
    body: error(named('a.json')),
  },
  {
    title: 'temp_file a folder',
    fields: { script_id: ids.ok, temp_file: '/tmp' },
    status: 400,
    code: 'temp-file-invalid',
    body: error(named('/tmp')),
  },
];

function expectAnswer(answer: Answer, row: Pick<Row, 'status' | 'code' | 'body'>): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status: row.status, body: row.body });
  expect(answer.headers.get('x-hob-error')).toBe(row.code ?? null);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
}

function asForm(fields: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(texts);
}

describe('POST /api/execute answers exactly', () => {
  it.each(executeRows)('as JSON: $title', async (row) => {
    expectAnswer(await hob.post('/api/execute', row.fields), row);
  });

  it.each(executeRows)('as a form: $title', async (row) => {
    expectAnswer(await hob.postForm('/api/execute', asForm(row.fields)), row);
  });

  const finished = (data: unknown, params: unknown) => ({
    status: 'success',
    message: 'done',
    exit_code: 0,
    success: true,
    timed_out: false,
    stdout: 'out\n',
    stderr: 'err\n',
    result: { code: 0, msg: 'done', data, params },
  });

  it.each([
    { fields: { sync: true }, data: { files: [] }, params: {} },
    {
      fields: { sync: true, data: { files: ['a', 'b c', '中文'] } },
      data: { files: ['a', 'b c', '中文'] },
      params: {},
    },
    { fields: { sync: true, data: ['a'] }, data: { files: ['a'] }, params: {} },
    { fields: { sync: true, data: { files: 'single' } }, data: { files: ['single'] }, params: {} },
    {
      fields: { sync: true, params: { extra: { deep: [1] } } },
      data: { files: [] },
      params: { extra: { deep: [1] } },
    },
    { fields: { sync: true, data: null, params: null }, data: { files: [] }, params: {} },
  ])('a synchronous run with $fields in both content types', async ({ fields, data, params }) => {
    const sent = { script_id: ids.ok, ...fields };
    for (const answer of [
      await hob.post('/api/execute', sent),
      await hob.postForm('/api/execute', asForm(sent)),
    ]) {
      expectAnswer(answer, { status: 200, body: finished(data, params) });
      expect(answer.headers.get('x-hob-run-id')).toEqual(uuid);
    }
  });

  it.each(['true', '1', 'yes', 'on', 'TRUE'])('a form with sync=%s waits', async (sync) => {
    const answer = await hob.postForm('/api/execute', { script_id: ids.ok, sync });
    expectAnswer(answer, { status: 200, body: finished({ files: [] }, {}) });
  });

  it.each(['false', '0', 'no', 'off', ''])('a form with sync=%s does not wait', async (sync) => {
    const answer = await hob.postForm('/api/execute', { script_id: ids.ok, sync });
    expect(Object.keys(answer.body).sort()).toEqual(['message', 'run_id', 'status']);
  });

  it('sync must be a boolean in JSON, and one of the known words in a form', async () => {
    const asJson = await hob.post('/api/execute', { script_id: ids.ok, sync: 'true' });
    expectAnswer(asJson, { status: 400, code: 'field-invalid', body: error(named('sync')) });
    const form = await hob.postForm('/api/execute', { script_id: ids.ok, sync: 'perhaps' });
    expectAnswer(form, { status: 400, code: 'field-invalid', body: error(named('sync')) });
  });

  it('script ids compare case-insensitively', async () => {
    expect((await hob.run(ids.ok.toUpperCase())).status).toBe(200);
  });

  it('a script that declares no input gets data as sent', async () => {
    const { body } = await hob.run(ids.plain, { data: { anything: [1, { a: 2 }] } });
    expect(body.result).toMatchObject({ data: { anything: [1, { a: 2 }] } });
  });

  it('params are the defaults overridden by the sent values, and unknown ones are passed through', async () => {
    const { body } = await hob.run(ids.typed, { params: { title: 'x', quality: 10, more: true } });
    expect(body.result).toMatchObject({ params: { quality: 10, mode: 'good', title: 'x', more: true } });
  });

  it('the checks are made in their order: script, temp_file, data, params', async () => {
    const wrong = { data: 5, params: 5, temp_file: '/nowhere' };
    expect(
      (await hob.post('/api/execute', { script_id: ids.unknown, ...wrong })).headers.get('x-hob-error'),
    ).toBe('script-unknown');
    expect((await hob.post('/api/execute', { script_id: ids.ok, ...wrong })).headers.get('x-hob-error')).toBe(
      'temp-file-missing',
    );
    expect(
      (await hob.post('/api/execute', { script_id: ids.ok, data: 5, params: 5 })).headers.get('x-hob-error'),
    ).toBe('data-invalid');
    expect((await hob.post('/api/link', { script_id: ids.plain, data: 5 })).headers.get('x-hob-error')).toBe(
      'script-not-a-node',
    );
  });
});

describe('POST /api/link answers exactly', () => {
  it.each(sharedRows)('$title', async (row) => {
    expectAnswer(await hob.post('/api/link', row.fields), row);
  });

  it('a target that is not a node', async () => {
    const answer = await hob.post('/api/link', { script_id: ids.ok });
    expectAnswer(answer, { status: 403, code: 'script-not-a-node', body: error(named('Ok')) });
  });

  it('a run with any outcome', async () => {
    const answer = await hob.post('/api/link', { script_id: ids.node, data: ['x'] });
    expect(Object.keys(answer.body).sort()).toEqual([
      'exit_code',
      'message',
      'result',
      'status',
      'stderr',
      'stdout',
      'success',
      'timed_out',
    ]);
    expect(answer.body.result).toMatchObject({ data: { files: ['x'] } });
  });

  it('a form is refused', async () => {
    const answer = await hob.postForm('/api/link', { script_id: ids.node });
    expectAnswer(answer, { status: 415, code: 'content-type-unsupported', body: error(expect.any(String)) });
  });
});

describe.each(['/api/execute', '/api/link'])('bodies of %s', (path) => {
  const raw = (body: string | undefined, headers: Record<string, string>) =>
    fetch(hob.url + path, { method: 'POST', headers, ...(body !== undefined && { body }) });

  it('a missing body counts as an empty object', async () => {
    const answer = await raw(undefined, {});
    expect([answer.status, await answer.json()]).toEqual([400, error('缺少script_id参数')]);
    const empty = await raw('', { 'content-type': 'application/json; charset=utf-8' });
    expect([empty.status, await empty.json()]).toEqual([400, error('缺少script_id参数')]);
  });

  it.each([
    '{"script_id":',
    '[1]',
    '"text"',
    'null',
    '5',
    '{"__proto__":{"a":1}}',
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
  ])('%.40s is malformed', async (body) => {
    const answer = await raw(body, { 'content-type': 'application/json' });
    expect([answer.status, await answer.json()]).toEqual([400, error(expect.any(String))]);
    expect(answer.headers.get('x-hob-error')).toBe('body-malformed');
  });

  it.each(['text/plain', 'multipart/form-data; boundary=x', 'application/xml'])(
    '%s is the wrong content type',
    async (type) => {
      const answer = await raw('{}', { 'content-type': type });
      expect([answer.status, await answer.json()]).toEqual([415, error(expect.any(String))]);
    },
  );

  it('a body over the limit gets 413', async () => {
    const answer = await raw(JSON.stringify({ script_id: ids.ok, x: 'y'.repeat(8 * 1024 * 1024) }), {
      'content-type': 'application/json',
    });
    expect([answer.status, await answer.json()]).toEqual([413, error(expect.any(String))]);
  });

  it('texts are Chinese, or English for callers that prefer it', async () => {
    const send = (language: string) =>
      hob.post(path, { script_id: ids.node, data: 5 }, { 'accept-language': language });
    expect((await send('zh-CN,zh;q=0.9,en;q=0.5')).body.message).toMatch(/应为/);
    expect((await send('en-GB,en;q=0.9,zh;q=0.5')).body.message).toMatch(/must be/);
  });
});

it('a form over its own limit gets 413', async () => {
  const answer = await hob.postForm('/api/execute', { script_id: ids.ok, data: 'y'.repeat(1024 * 1024) });
  expectAnswer(answer, { status: 413, code: 'body-too-large', body: error(expect.any(String)) });
});

describe('temp_file', () => {
  const run = async (content: string | Buffer) => {
    const path = join(folder, 'arguments');
    await writeFile(path, content);
    const { body } = await hob.run(ids.typed, {
      temp_file: path,
      data: ['ignored'],
      params: { title: 'ignored' },
    });
    return body;
  };

  it('may be a JSON object with data and params', async () => {
    const body = await run(JSON.stringify({ data: { files: ['a'] }, params: { title: 't', quality: 1 } }));
    expect(body.result).toMatchObject({ data: { files: ['a'] }, params: { title: 't', quality: 1 } });
  });

  it.each([
    ['a JSON list', '["a","中 文"]'],
    ['lines of text', 'a\r\n中 文\n\n'],
    ['lines with a byte order mark', '\uFEFFa\n中 文'],
  ])('may be %s, and then has no params', async (_kind, content) => {
    await writeFile(join(folder, 'arguments'), content);
    const { body } = await hob.run(ids.ok, { temp_file: join(folder, 'arguments') });
    expect(body.result).toMatchObject({ data: { files: ['a', '中 文'] }, params: {} });
  });

  it('may be in GBK', async () => {
    await writeFile(join(folder, 'arguments'), Buffer.from([0xd6, 0xd0, 0xce, 0xc4]));
    const { body } = await hob.run(ids.ok, { temp_file: join(folder, 'arguments') });
    expect(body.result).toMatchObject({ data: { files: ['中文'] } });
  });

  it.each([
    ['broken JSON', '{"data":'],
    ['something that begins like JSON', '[not json'],
    ['more than 8 MiB', 'x'.repeat(8 * 1024 * 1024 + 1)],
  ])('with %s is refused', async (_kind, content) => {
    await writeFile(join(folder, 'arguments'), content);
    const answer = await hob.run(ids.ok, { temp_file: join(folder, 'arguments') });
    expectAnswer(answer, { status: 400, code: 'temp-file-invalid', body: error(named('arguments')) });
  });

  it('is never deleted, and a dangling link counts as missing', async () => {
    await run(JSON.stringify({ params: { title: 't' } }));
    expect((await run(JSON.stringify({ params: { title: 't' } }))).success).toBe(true);
    await rm(join(folder, 'dangling'), { force: true });
    await symlink('/nowhere', join(folder, 'dangling'));
    const answer = await hob.run(ids.ok, { temp_file: join(folder, 'dangling') });
    expectAnswer(answer, {
      status: 404,
      code: 'temp-file-missing',
      body: error(`文件不存在: ${join(folder, 'dangling')}`),
    });
  });
});

describe('POST /api/notify answers exactly', () => {
  it.each([
    { notify_type: 'success' },
    { notify_type: 'error', message: '完成 🎉', duration: 100, show_close: true },
    { notify_type: 'info', message: null },
    { notify_type: 'info', duration: 0 },
    { notify_type: 'info', duration: 1e300 },
  ])('%j is shown', async (body) => {
    expectAnswer(await hob.post('/api/notify', body), { status: 200, body: { success: true } });
  });

  it.each([
    [{}, 'notify_type'],
    [{ notify_type: 'warning' }, 'notify_type'],
    [{ notify_type: 'info', message: 5 }, 'message'],
    [{ notify_type: 'info', duration: '5' }, 'duration'],
    [{ notify_type: 'info', duration: 1.5 }, 'duration'],
    [{ notify_type: 'info', duration: -1 }, '非负整数'],
    [{ notify_type: 'info', show_close: 1 }, 'show_close'],
  ])('%j is wrong in %s', async (body, field) => {
    expectAnswer(await hob.post('/api/notify', body), {
      status: 400,
      code: 'notify-invalid',
      body: { error: named(field) },
    });
  });

  it('malformed JSON', async () => {
    expectAnswer(await hob.post('/api/notify', '{'), {
      status: 400,
      code: 'body-malformed',
      body: { error: expect.any(String) },
    });
  });

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded'])('content type %s', async (type) => {
    const init = type === undefined ? {} : { headers: { 'content-type': type }, body: 'notify_type=info' };
    const answer = await fetch(`${hob.url}/api/notify`, { method: 'POST', ...init });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'Content-Type must be application/json' },
    ]);
  });
});

describe('GET /api/model/path answers exactly', () => {
  const refused = (code: number) => ({ code, data: {}, message: expect.any(String), success: false });

  it('the folder of a downloaded model', async () => {
    const path = join(folder, 'home', 'models', 'acme', 'tiny');
    const answer = await hob.get('/api/model/path?repo_id=acme/tiny');
    expectAnswer(answer, {
      status: 200,
      body: { code: 200, data: { path, repo_id: 'acme/tiny' }, message: named('acme/tiny'), success: true },
    });
  });

  it.each(['acme/none', 'acme/half', 'Acme/tiny'])(
    '%s is not downloaded, or only partly, or another model',
    async (repo) => {
      const answer = await hob.get(`/api/model/path?repo_id=${repo}`);
      expectAnswer(answer, {
        status: 404,
        code: 'model-not-downloaded',
        body: { ...refused(404), message: named(repo) },
      });
    },
  );

  it.each([
    '',
    '?repo_id=',
    '?repo_id=tiny',
    '?repo_id=a/b/c',
    '?repo_id=../x',
    '?repo_id=a/b&repo_id=c/d',
    '?repo_id=a%2F..',
  ])('%s is malformed', async (query) => {
    expectAnswer(await hob.get(`/api/model/path${query}`), {
      status: 400,
      code: 'repo-id-invalid',
      body: refused(400),
    });
  });
});

describe('everything else', () => {
  it.each(['/api', '/api/execute/', '/nothing'])('%s is unknown', async (path) => {
    expectAnswer(await hob.get(path), { status: 404, code: 'path-unknown', body: error(expect.any(String)) });
  });

  it.each([
    ['/api/execute', 'GET', 'POST'],
    ['/api/link', 'PUT', 'POST'],
    ['/api/notify', 'DELETE', 'POST'],
    ['/api/model/path', 'POST', 'GET, HEAD'],
    ['/api/health', 'POST', 'GET, HEAD'],
  ])('%s does not accept %s', async (path, method, allowed) => {
    const answer = await fetch(hob.url + path, { method });
    expect([answer.status, await answer.json()]).toEqual([405, error(expect.any(String))]);
    expect(answer.headers.get('allow')).toBe(allowed);
    expect(answer.headers.get('x-hob-error')).toBe('method-not-allowed');
  });

  it('no method on any path causes a 500', async () => {
    const failed: string[] = [];
    for (const method of METHODS.filter((each) => each !== 'CONNECT')) {
      for (const path of ['/', '/api/health', '/api/execute', '/api/notify'])
        if ((await ask(hob.url + path, method)).status >= 500) failed.push(`${method} ${path}`);
    }
    expect(failed).toEqual([]);
  });

  it('health has the documented fields', async () => {
    const answer = await hob.get('/api/health');
    expectAnswer(answer, {
      status: 200,
      body: {
        status: 'ok',
        version: expect.any(String),
        interface: '0.3.0',
        uptime_s: expect.any(Number),
        running: expect.any(Number),
        queued: 0,
        executor: { state: 'ready', pid: expect.any(Number), silent_pids: [] },
        containment: expect.stringMatching(/^(cgroup|sweep|descent|taskkill)$/),
        desktop: 'none',
        warm: {
          hits: expect.any(Number),
          misses: expect.any(Number),
          memory_bytes: expect.any(Number),
          budget_bytes: 256_000_000,
          short_of_memory: expect.any(Boolean),
          interpreters: expect.any(Array),
        },
        refused: expect.objectContaining({
          'door-host': 0,
          'door-origin': 0,
          'door-token': 0,
          'door-busy': 0,
        }),
      },
    });
  });

  it('an unknown run and an unknown script use the error form of the later endpoints', async () => {
    const later = (code: string) => ({
      status: 'error',
      code,
      message: expect.any(String),
      hint: expect.any(String),
    });
    expectAnswer(await hob.get(`/api/runs/${ids.unknown}`), {
      status: 404,
      code: 'run-unknown',
      body: later('run-unknown'),
    });
    expectAnswer(await hob.get(`/api/scripts/${ids.unknown}`), {
      status: 404,
      code: 'script-unknown',
      body: later('script-unknown'),
    });
  });

  it('an unknown run token is refused in the form of the operation', async () => {
    const token = 'x'.repeat(32);
    expectAnswer(await hob.post(`/r/${token}/api/execute`, {}), {
      status: 404,
      code: 'run-token-unknown',
      body: error(expect.any(String)),
    });
    const notify = await hob.post(`/r/${token}/api/notify`, { notify_type: 'info' });
    expectAnswer(notify, { status: 404, code: 'run-token-unknown', body: { error: expect.any(String) } });
  });

  it('the record of an asynchronous run can be read afterwards', async () => {
    const { body } = await hob.post('/api/execute', { script_id: ids.ok, data: ['x'] });
    const record = await hob.ended(String(body.run_id));
    expect(record).toEqual({
      run_id: body.run_id,
      script_id: ids.ok,
      script_name: 'Ok',
      script_version: null,
      origin: 'execute',
      trigger_id: null,
      client: null,
      parent_run_id: null,
      depth: 0,
      attempt: 1,
      first_run_id: null,
      next_attempt_at: null,
      state: 'succeeded',
      end_cause: 'exit',
      exit_code: 0,
      result: { code: 0, msg: 'done', data: { files: ['x'] }, params: {} },
      envelope: 'own',
      data: { files: ['x'] },
      params: {},
      queued_at: expect.any(String),
      started_at: expect.any(String),
      ended_at: expect.any(String),
      duration_ms: expect.any(Number),
      stdout_bytes: 4,
      stderr_bytes: 4,
      truncated: false,
      // Counted a moment after the end.
      left_running: expect.toBeOneOf([null, 0]),
    });
  });

  it('a listed script has every documented field', async () => {
    const { body } = await hob.get(`/api/scripts/${ids.typed}`);
    expect(body).toMatchObject({
      id: ids.typed,
      name: 'Typed',
      language: 'python',
      node: true,
      input: { name: 'files', type: 'list' },
    });
    const list = await hob.get('/api/scripts');
    expect(list.body.problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          severity: 'error',
          file: expect.stringContaining('broken'),
          line: expect.any(Number),
        }),
      ]),
    );
  });
});

describe('the OpenAPI document', () => {
  it.each([
    ['post', '/api/execute', { script_id: ids.ok, sync: true }, 200],
    ['post', '/api/execute', { script_id: ids.ok }, 200],
    ['post', '/api/execute', {}, 400],
    ['post', '/api/link', { script_id: ids.node }, 200],
    ['post', '/api/link', { script_id: ids.ok }, 403],
    ['post', '/api/notify', { notify_type: 'info' }, 200],
    ['post', '/api/notify', {}, 400],
    ['get', '/api/model/path', '?repo_id=acme/tiny', 200],
    ['get', '/api/model/path', '?repo_id=acme/none', 404],
    ['get', '/api/models', '', 200],
    ['get', '/api/scripts', '', 200],
    ['get', '/api/scripts/{id}', ids.typed, 200],
    ['get', '/api/scripts/{id}', ids.broken, 409],
    ['get', '/api/runs/{id}', ids.unknown, 404],
    ['get', '/api/runs/{id}/events', ids.unknown, 404],
    ['get', '/api/events', '?types=none', 400],
    ['get', '/api/health', '', 200],
  ])('describes the answer of %s %s to %j', async (method, path, sent, status) => {
    const { body } = await hob.get('/api/openapi.json');
    const document = JSON.parse(JSON.stringify(resolveReferences(body)));
    const target =
      typeof sent === 'string' ? (path.includes('{id}') ? path.replace('{id}', sent) : path + sent) : path;
    const answer = method === 'get' ? await hob.get(target) : await hob.post(target, sent);
    expect(answer.status).toBe(status);
    const { responses } = document.paths[path][method];
    const described = responses[String(status)] ?? responses[`${Math.floor(status / 100)}XX`];
    expect(Value.Errors(described.content['application/json'].schema, answer.body)).toEqual([]);
  });
});

describe('when the limits are reached', () => {
  it('a full queue gets 503 with Retry-After, and nothing is left behind', async () => {
    const scripts = join(folder, 'slow-scripts');
    const id = await writeScript(scripts, 'slow', {
      entry: bash('while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.05; done'),
    });
    const home = await mkdtemp(join(folder, 'small-'));
    const small = await launchHob({
      home,
      scripts: [scripts],
      settings: 'max_runs = 1\nmax_queued = 1\nqueue_wait_s = 0.2\n',
    });
    try {
      const first = await small.post('/api/execute', { script_id: id });
      const second = await small.post('/api/execute', { script_id: id });
      expect([first.status, second.status]).toEqual([200, 200]);
      const third = await small.post('/api/execute', { script_id: id });
      expectAnswer(third, { status: 503, code: 'queue-full', body: error(expect.any(String)) });
      expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await small.get('/api/health')).body).toMatchObject({ running: 1, queued: 1 });
      await writeFile(join(scripts, 'slow', 'go'), '');
      await Promise.all([first, second].map((answer) => small.ended(String(answer.body.run_id))));
    } finally {
      await small.stop();
    }
  });

  it('a synchronous call that waited too long for a slot gets 503', async () => {
    const scripts = join(folder, 'waiting-scripts');
    const id = await writeScript(scripts, 'slow', {
      entry: bash('while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.05; done'),
    });
    const home = await mkdtemp(join(folder, 'waiting-'));
    const small = await launchHob({
      home,
      scripts: [scripts],
      settings: 'max_runs = 1\nqueue_wait_s = 0.2\n',
    });
    try {
      const first = await small.post('/api/execute', { script_id: id });
      const second = await small.run(id);
      expectAnswer(second, { status: 503, code: 'queue-wait-exceeded', body: error(expect.any(String)) });
      expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
      await writeFile(join(scripts, 'slow', 'go'), '');
      await small.ended(String(first.body.run_id));
    } finally {
      await small.stop();
    }
  });
});
