import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { fileThere, until } from '../support/until.ts';

const tables = `[[service.inputs]]
name = "images"

[[service.params]]
name = "quality"
type = "int"
default = 85

[[service.params]]
name = "title"
type = "str"
required = true
`;
const echo = python('write({"code": 0, "msg": run["params"]["title"], "got": [run["data"], run["params"]]})');
const said = { params: { title: '你好' } };

/** The fields that do not change after the end. Hob counts the left-over processes later. */
function settled({ left_running, ...record }: Record<string, unknown>): Record<string, unknown> {
  return record;
}

const held = (files: string) =>
  bash(`touch "${files}/begun"; until [ -e "${files}/go" ]; do sleep 0.02; done; exit 6`);

describe('POST /api/scripts/<id or slug>/runs', () => {
  const service = shareService('heartbeat_s = 0.3\n');
  const start = (script: string, body: unknown, headers: Record<string, string> = {}) =>
    service.hob.post(`/api/scripts/${script}/runs`, body, headers);

  it('answers with the record of the run, at once or at its end', async () => {
    const id = await service.add('Échø images', { language: 'python', entry: echo, tables });
    const waited = await start('echo-images', { ...said, data: ['a.png', '图.png'], wait_s: 60 });
    const runId = String(waited.body.run_id);
    expect(waited.status).toBe(201);
    expect(waited.headers.get('location')).toBe(`/api/runs/${runId}`);
    expect(waited.headers.get('x-hob-run-id')).toBe(runId);
    expect(waited.body).toMatchObject({
      script_id: id,
      script_name: 'Échø images',
      origin: 'execute',
      state: 'succeeded',
      result: {
        code: 0,
        msg: '你好',
        got: [{ images: ['a.png', '图.png'] }, { quality: 85, title: '你好' }],
      },
    });
    expect(settled((await service.hob.get(`/api/runs/${runId}`)).body)).toEqual(settled(waited.body));

    const { status, body } = await start(
      id.toUpperCase(),
      { ...said, data: null, wait_s: null },
      { 'x-hob-origin': 'cli' },
    );
    expect([status, body.ended_at, body.origin]).toEqual([201, null, 'cli']);
    expect(await service.hob.ended(String(body.run_id))).toMatchObject({ state: 'succeeded' });
  });

  it('refuses invalid requests and names the fields at fault', async () => {
    await service.add('strict', { language: 'python', entry: echo, tables });
    for (const [body, code, fields] of [
      [{}, 'params-invalid', ['params.title']],
      [{ params: { title: 7 } }, 'params-invalid', ['params.title']],
      [{ params: { title: 'x', quality: 'high' } }, 'params-invalid', ['params.quality']],
      [{ params: [] }, 'params-invalid', ['params']],
      [{ ...said, data: 'x' }, 'data-invalid', ['data']],
      [{ ...said, data: { other: [] } }, 'data-invalid', ['data.other']],
      [{ ...said, data: { images: [1] } }, 'data-invalid', ['data.images']],
      [{ ...said, wait_s: -1 }, 'field-invalid', ['wait_s']],
      [{ ...said, wait_s: 3601 }, 'field-invalid', ['wait_s']],
      [{ ...said, wait_s: '5' }, 'field-invalid', ['wait_s']],
      [{ ...said, placement: 'any' }, 'field-invalid', ['placement']],
      [{ ...said, retries: 3 }, 'field-invalid', ['retries']],
      [{ ...said, temp_file: '/etc/passwd' }, 'field-invalid', ['temp_file']],
      [{ ...said, sync: true }, 'field-invalid', ['sync']],
    ] as const) {
      const answer = await start('strict', body);
      expect(answer).toMatchObject({ status: 400, body: { status: 'error', code, fields } });
      expect(answer.body.hint).toEqual(expect.any(String));
      expect(answer.headers.get('x-hob-error')).toBe(code);
    }
    expect(await start('strict', '{')).toMatchObject({ status: 400, body: { code: 'body-malformed' } });
    expect(await start('strict', [])).toMatchObject({ status: 400, body: { code: 'body-malformed' } });
    const huge = JSON.stringify({ params: { title: 'x'.repeat(9 * 1024 * 1024) } });
    expect(await start('strict', huge)).toMatchObject({ status: 413, body: { code: 'body-too-large' } });
    const form = await service.hob.postForm('/api/scripts/strict/runs', { wait_s: '1' });
    expect(form).toMatchObject({ status: 415, body: { code: 'content-type-unsupported' } });
    const runs = await service.hob.get('/api/runs?limit=100');
    expect(JSON.stringify(runs.body)).not.toContain('"script_name":"strict"');
  });

  it('answers in English, or in Chinese for a caller that prefers it', async () => {
    expect((await start('nothing', {})).body).toMatchObject({
      code: 'script-unknown',
      message: 'No such script: nothing',
    });
    const chinese = await start('nothing', {}, { 'accept-language': 'zh-CN' });
    expect(chinese).toMatchObject({ status: 404, body: { message: '脚本不存在: nothing' } });
    const id = randomUUID();
    expect((await start(id, {})).body).toMatchObject({ message: `No such script: ${id}` });
    expect((await start('%E5%9B%BE', {})).status).toBe(404);
  });

  it('refuses a script that cannot run', async () => {
    const id = await service.add('breaks', {});
    expect((await start('breaks', { wait_s: 60 })).body).toMatchObject({ state: 'succeeded' });
    await rm(join(service.scripts, 'breaks', 'main.sh'));
    expect(await start('breaks', {})).toMatchObject({ status: 409, body: { code: 'script-unusable' } });
    const manifest = join(service.scripts, 'breaks', 'script.toml');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('name = "breaks"', 'name = 7'));
    await until(
      'its manifest is read',
      async () => (await service.hob.get(`/api/scripts/${id}`)).status === 409,
    );
    const broken = await start('breaks', {});
    expect(broken).toMatchObject({ status: 409, body: { code: 'script-unusable', status: 'error' } });
    expect(await start(id, {})).toMatchObject({ status: 409 });
  });

  it('answers with the record as it is when the wait is over', async () => {
    const files = await tempFolder();
    await service.add('held', { entry: held(files) });
    const early = await start('held', { wait_s: 0.2 });
    expect(early).toMatchObject({ status: 201, body: { ended_at: null, result: null } });
    await writeFile(join(files, 'go'), '');
    expect(await service.hob.ended(String(early.body.run_id))).toMatchObject({ exit_code: 6 });
  });

  it('sends the header and then a space at every heartbeat', async () => {
    const files = await tempFolder();
    await service.add('patient', { entry: held(files) });
    const response = await fetch(`${service.hob.url}/api/scripts/patient/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"wait_s":60}',
    });
    // The header arrives before the run ends.
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(`/api/runs/${response.headers.get('x-hob-run-id')}`);
    const reader = response.body?.getReader();
    for (let beats = 0; beats < 3; ) beats += (await reader?.read())?.value?.length ?? Number.NaN;
    await writeFile(join(files, 'go'), '');
    let rest = '';
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read())
      rest += Buffer.from(part.value).toString();
    expect(JSON.parse(rest)).toMatchObject({ state: 'failed', exit_code: 6 });
  });

  it('lets a run continue after its caller has disconnected', async () => {
    const files = await tempFolder();
    const id = await service.add('left', { entry: held(files) });
    const { port } = new URL(service.hob.url);
    const socket = connect(Number(port), '127.0.0.1');
    const body = '{"wait_s":60}';
    socket.write(
      `POST /api/scripts/left/runs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await fileThere(join(files, 'begun'));
    socket.destroy();
    const { items } = (await service.hob.get(`/api/runs?script=${id}`)).body as {
      items: { run_id: string }[];
    };
    expect(items).toHaveLength(1);
    await writeFile(join(files, 'go'), '');
    expect(await service.hob.ended(items[0]?.run_id ?? '')).toMatchObject({
      end_cause: 'exit',
      exit_code: 6,
    });
  });

  it('starts one run for an idempotency key, also for two requests at once', async () => {
    const id = await service.add('keyed', { language: 'python', entry: echo, tables });
    const key = { 'idempotency-key': randomUUID() };
    const [one, other] = await Promise.all([
      start('keyed', { ...said, wait_s: 60 }, key),
      start(id, { ...said, wait_s: 60 }, key),
    ]);
    expect(settled(one.body)).toEqual(settled(other.body));
    expect(one.body).toMatchObject({ state: 'succeeded' });
    const replays = [one, other].map(({ headers }) => headers.get('idempotency-replayed'));
    expect(replays.sort()).toEqual(['true', null].sort());
    // The wait is not part of what the key identifies.
    expect(await start('keyed', said, key)).toMatchObject({ status: 201, body: settled(one.body) });
    expect(await start('keyed', { params: { title: 'other' } }, key)).toMatchObject({
      status: 409,
      body: { code: 'idempotency-key-reused' },
    });
    expect(await start('keyed', said, { 'idempotency-key': 'a b' })).toMatchObject({
      status: 400,
      body: { code: 'idempotency-key-invalid' },
    });
    await rm(join(service.scripts, 'keyed'), { recursive: true });
    await until('it is gone', async () => (await service.hob.get(`/api/scripts/${id}`)).status === 404);
    expect((await start('keyed', said, key)).body).toMatchObject(settled(one.body));
    expect((await start('keyed', said)).status).toBe(404);
  });

  it('starts a run for each of two requests without a key', async () => {
    await service.add('twice', {});
    const [one, other] = await Promise.all([start('twice', { wait_s: 60 }), start('twice', { wait_s: 60 })]);
    expect(one.body.state).toBe('succeeded');
    expect(other.body.state).toBe('succeeded');
    expect(one.body.run_id).not.toBe(other.body.run_id);
  });

  it('is not offered to the address of a run', async () => {
    await service.add('target', {});
    await service.add('caller', {
      language: 'python',
      entry: python('write({"code": 0, "msg": "", "got": call("/api/scripts/target/runs", {})})'),
    });
    const { body } = await start('caller', { wait_s: 60 });
    expect(body.result).toMatchObject({
      got: [403, { code: 'not-for-runs', hint: expect.stringContaining('/api/execute') }],
    });
  });
});

describe('POST /api/scripts/<id or slug>/runs in token mode', () => {
  it('requires the token, and refuses the address of a run', async () => {
    const scripts = await tempFolder();
    await writeScript(scripts, 'target');
    await writeScript(scripts, 'caller', {
      language: 'python',
      entry: python('write({"code": 0, "msg": "", "got": call("/api/scripts/target/runs", {})})'),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'token = true\n' });
    expect((await hob.post('/api/scripts/caller/runs', {})).status).toBe(401);
    const token = (await readFile(join(hob.home, 'token'), 'utf8')).trim();
    const authorization = { authorization: `Bearer ${token}` };
    const { status, body } = await hob.post('/api/scripts/caller/runs', { wait_s: 60 }, authorization);
    expect(status).toBe(201);
    expect(body.result).toMatchObject({ got: [401, { code: 'door-token' }] });
  });
});

describe('a caller that waits while the service stops', () => {
  it('gets the record as it is', async () => {
    const [scripts, files] = [await tempFolder(), await tempFolder()];
    await writeScript(scripts, 'held', { entry: held(files) });
    const hob = await startHob({ scripts: [scripts] });
    const waiting = hob.post('/api/scripts/held/runs', { wait_s: 600 });
    await fileThere(join(files, 'begun'));
    void hob.stop();
    expect(await waiting).toMatchObject({ status: 201, body: { state: 'running', ended_at: null } });
    await writeFile(join(files, 'go'), '');
  });
});
