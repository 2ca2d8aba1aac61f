import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Answer, executorPid, type Hob, startHob, tempFolder } from '../support/hob.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';

const quickStop = 'stop_grace_s = 1\n';

const rerun = (hob: Hob, runId: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  hob.post(`/api/runs/${runId}/rerun`, body, headers);
const submit = async (hob: Hob, body: Record<string, unknown>): Promise<string> =>
  String((await hob.post('/api/execute', body)).body.run_id);

/** A script that prints its data and params. */
const echo = python(
  'write({"code": 0, "msg": "ok", "data": run["data"], "params": run["params"], "mode": env["invoke_mode"]})',
);

async function setUp(options: Parameters<typeof writeScript>[2] = {}, settings = '') {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'script', { language: 'python', entry: echo, ...options });
  return { scripts, id, hob: await startHob({ scripts: [scripts], settings }) };
}

/** Asserts that a new run was accepted, and returns its record after its end. */
async function repeated(hob: Hob, answer: Answer, of: string): Promise<Record<string, unknown>> {
  expect(answer).toMatchObject({ status: 200, body: { status: 'success', message: expect.any(String) } });
  const runId = String(answer.body.run_id);
  expect(answer.headers.get('x-hob-run-id')).toBe(runId);
  expect(runId).not.toBe(of);
  return hob.ended(runId);
}

describe('a run can be repeated', () => {
  it('with its data and params, from an execute, a link or another rerun', async () => {
    const { hob, id } = await setUp({
      name: '缩放图片',
      node: true,
      tables: `[[service.inputs]]\nname = "图片"\ntype = "list"\n[[service.params]]\nname = "质量"\ntype = "int"\ndefault = 85`,
    });
    const body = { script_id: id, data: ['/照片/一.png'], params: { 质量: 70, extra: { 深: [1, null] } } };
    const first = await submit(hob, body);
    const linked = (await hob.post('/api/link', body)).headers.get('x-hob-run-id') ?? '';
    const got = { data: { 图片: ['/照片/一.png'] }, params: { 质量: 70, extra: { 深: [1, null] } } };
    expect(await hob.ended(first)).toMatchObject({ result: got });
    let last = first;
    for (const of of [first, linked, 'the last one']) {
      const runId = of === 'the last one' ? last : of;
      const again = await repeated(hob, await rerun(hob, runId), runId);
      expect(again).toMatchObject({
        ...got,
        result: { ...got, mode: 'manual' },
        origin: 'execute',
        parent_run_id: null,
        depth: 0,
        script_name: '缩放图片',
      });
      last = String(again.run_id);
    }
    const other = { data: { 图片: '/照片/二.png' }, params: { 质量: 1 } };
    expect(await repeated(hob, await rerun(hob, first, other), first)).toMatchObject({
      result: { data: { 图片: ['/照片/二.png'] }, params: { 质量: 1, extra: { 深: [1, null] } } },
    });
  });

  it('from any origin: the console, the command line, another run', async () => {
    const { hob, id, scripts } = await setUp();
    const first = await submit(hob, { script_id: id });
    await hob.ended(first);
    const byConsole = await rerun(hob, first, {}, { 'x-hob-origin': 'console' });
    expect(await repeated(hob, byConsole, first)).toMatchObject({ origin: 'console' });
    const repeater = await writeScript(scripts, 'repeater', {
      language: 'python',
      entry: python(`
status, answer = call("/api/runs/${first}/rerun", {})
write({"code": status, "msg": answer["run_id"]})
`),
    });
    const { body, headers } = await hob.run(repeater);
    expect(await hob.ended(String(body.message))).toMatchObject({
      parent_run_id: headers.get('x-hob-run-id'),
      depth: 0,
    });
  });

  it('in any state', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const script = (name: string, body: string, runtime = '') =>
      writeScript(scripts, name, { entry: bash(body), runtime });
    const ids = {
      succeeded: await script('succeeded', 'exit 0'),
      failed: await script('failed', 'exit 3'),
      signalled: await script('signalled', 'kill -9 $$'),
      timedOut: await script('timed-out', 'exec sleep 600', 'timeout = 0.1'),
      patient: await script('patient', `touch "${files}/begun"; exec sleep 600`),
    };
    const service = await startRestartable({ scripts: [scripts], settings: quickStop });
    const causes = async (runId: string) => {
      const before = await service.hob.ended(runId);
      const answer = await rerun(service.hob, runId);
      const again = await repeated(service.hob, answer, runId);
      expect(again.script_id).toBe(before.script_id);
      return [before.end_cause, again.end_cause];
    };
    const { hob } = service;
    expect(await causes(await submit(hob, { script_id: ids.succeeded }))).toEqual(['exit', 'exit']);
    expect(await causes(await submit(hob, { script_id: ids.failed }))).toEqual(['exit', 'exit']);
    expect(await causes(await submit(hob, { script_id: ids.signalled }))).toEqual(['signal', 'signal']);
    expect(await causes(await submit(hob, { script_id: ids.timedOut }))).toEqual(['timeout', 'timeout']);

    const running = await submit(hob, { script_id: ids.patient });
    await fileThere(join(files, 'begun'));
    const another = String((await rerun(hob, running)).body.run_id);
    for (const runId of [running, another]) await hob.post(`/api/runs/${runId}/cancel`, {});
    expect(await hob.ended(running)).toMatchObject({ end_cause: 'cancelled' });
    const third = String((await rerun(hob, running)).body.run_id);
    await until('it runs', async () => (await hob.get(`/api/runs/${third}`)).body.state === 'running');

    const executor = await executorPid(hob.home);
    await service.restart('SIGKILL', async () => {
      process.kill(executor, 'SIGKILL');
    });
    expect(await service.hob.ended(third)).toMatchObject({ state: 'unknown', end_cause: 'lost' });
    const last = String((await rerun(service.hob, third)).body.run_id);
    await service.hob.post(`/api/runs/${last}/cancel`, {});
    expect(await service.hob.ended(last)).toMatchObject({ end_cause: 'cancelled' });
  });

  it('while it is queued, and when it could not be started', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const patient = await writeScript(scripts, 'patient', {
      entry: bash(`touch "${files}/begun"; until [ -e "${files}/go" ]; do sleep 0.02; done`),
    });
    const quick = await writeScript(scripts, 'quick');
    const lacking = await writeScript(scripts, 'lacking', {
      runtime: 'binaries = [{ name = "no-such-program-anywhere" }]',
    });
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 1\n' });
    await submit(hob, { script_id: patient });
    await fileThere(join(files, 'begun'));
    const queued = await submit(hob, { script_id: quick });
    const again = await rerun(hob, queued);
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 1, queued: 2 });
    await writeFile(join(files, 'go'), '');
    expect(await repeated(hob, again, queued)).toMatchObject({ end_cause: 'exit' });
    const failed = await submit(hob, { script_id: lacking });
    expect(await hob.ended(failed)).toMatchObject({ end_cause: 'spawn-failed' });
    expect(await repeated(hob, await rerun(hob, failed), failed)).toMatchObject({
      end_cause: 'spawn-failed',
    });
  });
});

describe('a run cannot be repeated', () => {
  it('without its secrets, which are sent to the script and nowhere else', async () => {
    const secrets = ['token', '口令'].map((name) => `[[service.params]]\nname = "${name}"\nsecret = true`);
    const { hob, id } = await setUp({ tables: secrets.join('\n') });
    const first = await submit(hob, { script_id: id, params: { token: 'first', 口令: 'second', plain: 1 } });
    await hob.ended(first);
    const refused = await rerun(hob, first, { params: { token: 'again' } }, { 'accept-language': 'zh' });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        status: 'error',
        code: 'secrets-needed',
        message: expect.stringContaining('口令'),
        hint: expect.stringContaining('{"params":{"口令":"…"}}'),
        fields: ['params.口令'],
      },
    });
    expect((await rerun(hob, first, { params: { token: '***', 口令: '***' } })).status).toBe(400);
    const again = await rerun(hob, first, { params: { token: 'again', 口令: 'once more' } });
    expect(await repeated(hob, again, first)).toMatchObject({
      params: { token: '***', 口令: '***', plain: 1 },
      result: { params: { token: 'again', 口令: 'once more', plain: 1 } },
    });
  });

  it('when its input was renamed, until the values are sent under the new name', async () => {
    const input = (name: string) => `[[service.inputs]]\nname = "${name}"\ntype = "list"`;
    const { hob, id, scripts } = await setUp({ tables: input('images') });
    const first = await submit(hob, { script_id: id, data: ['/a'] });
    await hob.ended(first);
    await writeScript(scripts, 'script', { id, language: 'python', entry: echo, tables: input('图片') });
    await until('the change was seen', async () => {
      const { body } = await hob.get(`/api/scripts/${id}`);
      return JSON.stringify(body.input).includes('图片');
    });
    expect(await rerun(hob, first)).toMatchObject({
      status: 400,
      body: { code: 'data-invalid', message: expect.stringMatching(/"images".*"图片"/) },
    });
    const again = await rerun(hob, first, { data: { 图片: ['/b'] } });
    expect(await repeated(hob, again, first)).toMatchObject({ data: { 图片: ['/b'] } });
  });

  it('when its script is gone or broken, when the run does not exist, or when the body is invalid', async () => {
    const { hob, id, scripts } = await setUp();
    const first = await submit(hob, { script_id: id });
    await hob.ended(first);
    for (const [body, code] of [
      ['[]', 'body-malformed'],
      ['{"params":[]}', 'params-invalid'],
      ['{"data":"x"}', 'data-invalid'],
    ]) {
      expect(await rerun(hob, first, body)).toMatchObject({ status: 400, body: { code } });
    }
    await writeFile(join(scripts, 'script', 'script.toml'), '[service.info]\nid = 1\n');
    await until('the script is broken', async () => (await rerun(hob, first)).status !== 200);
    await rm(join(scripts, 'script'), { recursive: true });
    await until('the script is gone', async () => (await rerun(hob, first)).status === 404);
    expect((await rerun(hob, first)).body.code).toBe('script-unknown');
    const unknown = await rerun(hob, '93081ff8-7e74-4d11-9162-237fb30f8fee');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'run-unknown' } });
  });
});
