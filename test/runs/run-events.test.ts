import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { RunOutputs } from '../../src/runs/output/run-outputs.ts';
import { appInProcess, openGuarded } from '../support/app-in-process.ts';
import { ask } from '../support/ask.ts';
import { EventFollower, listenTo } from '../support/event-client.ts';
import { startHob, tempFolder } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { fileThere, until } from '../support/until.ts';

const service = shareService();

describe('GET /api/runs/<id>/events', () => {
  it('has the state, the progress and the output of a run as they happen, and then its end', async () => {
    const gate = join(await tempFolder(), 'gate');
    const id = await service.add('talks', {
      language: 'python',
      entry: python(`
import time
print("开始")
print("warning", file=sys.stderr)
call("/api/progress", {"fraction": 0.5})
while not os.path.exists(${JSON.stringify(gate)}): time.sleep(0.02)
sys.stdout.buffer.write("完成\\u2028".encode() + b"\\xff\\xfe\\xfa")
write({"code": 0, "msg": "ok"})`),
    });
    const { hob } = service;
    const { body } = await hob.post('/api/execute', { script_id: id });
    const path = `${hob.url}/api/runs/${body.run_id}/events`;
    const client = await listenTo(path);
    expect(client.headers['x-hob-run-id']).toBe(body.run_id);
    const has = (type: string) => client.events.some((event) => event.type === type);
    const stderr = () => client.events.some(({ data }) => data.stream === 'stderr');
    const stdout = () => client.events.some(({ data }) => data.stream === 'stdout');
    await client.until('it is half way', () => has('run.progress') && stderr() && stdout());
    // A late client gets the state and all output. A client that resumes gets the state and new output.
    const late = await listenTo(path);
    await late.until('it has all events', ({ events }) => events.length >= 4);
    expect(late.events[0]).toMatchObject({ type: 'run.started', data: { state: 'running' } });
    const resumed = await listenTo(path, client.lastId);
    await resumed.until('it has the progress', ({ events }) => events.length === 2);
    await hob.post('/api/notify', { notify_type: 'info' });
    await writeFile(gate, '');
    expect(await client.closed).toBe(true);
    expect(await resumed.closed).toBe(true);
    const states = client.events.filter(({ type }) => type !== 'run.output').map(({ type }) => type);
    expect(['run.queued run.started run.progress run.ended', 'run.started run.progress run.ended']).toContain(
      states.join(' '),
    );
    const outputOf = (from: typeof client, stream: string) =>
      Buffer.concat(
        from.events
          .filter(({ data }) => data.stream === stream)
          .map(({ data }) =>
            typeof data.base64 === 'string'
              ? Buffer.from(data.base64, 'base64')
              : Buffer.from(String(data.text)),
          ),
      );
    const all = Buffer.concat([Buffer.from('开始\n完成\u2028'), Buffer.from([0xff, 0xfe, 0xfa])]);
    expect(outputOf(client, 'stdout')).toEqual(all);
    expect(outputOf(late, 'stdout').subarray(0, 7).toString()).toBe('开始\n');
    expect(outputOf(client, 'stderr').toString()).toBe('warning\n');
    expect(outputOf(resumed, 'stdout')).toEqual(all.subarray(7));
    expect(outputOf(resumed, 'stderr').toString()).toBe('');
    const end = client.events.at(-1);
    expect(end).toMatchObject({
      id: `${all.length}-8-ended`,
      type: 'run.ended',
      data: { state: 'succeeded' },
    });
    expect(resumed.events.at(-1)).toEqual(end);
    // All events were sent. A browser stops reconnecting when it gets this status.
    expect(
      (await hob.get(`/api/runs/${body.run_id}/events`, { 'last-event-id': String(end?.id) })).status,
    ).toBe(204);
    const after = await listenTo(path);
    expect(await after.closed).toBe(true);
    expect(after.events.map(({ type }) => type)).toContain('run.output');
    expect(after.events.at(-1)).toMatchObject({
      id: end?.id,
      type: 'run.ended',
      data: { state: 'succeeded' },
    });
    expect(outputOf(after, 'stdout')).toEqual(all);
  });

  it('sends large output of both streams, byte for byte, to a client that is disconnected in between', async () => {
    const id = await service.add('floods', {
      language: 'python',
      entry: python(`
import threading
def write_all(stream, word):
    for count in range(20000): stream.write(f"{word} {count} 字节\\n")
threads = [threading.Thread(target=write_all, args=each) for each in ((sys.stdout, "out"), (sys.stderr, "err"))]
for thread in threads: thread.start()
for thread in threads: thread.join()`),
    });
    const { hob } = service;
    const { body } = await hob.post('/api/execute', { script_id: id });
    const follower = new EventFollower(() => `${hob.url}/api/runs/${body.run_id}/events`, '0-0');
    for (let cut = 1; cut <= 5; cut++) {
      await until('there is some', async () => follower.events.length > 3 * cut || follower.hasEnded);
      follower.cut();
    }
    await until('the end', async () => follower.hasEnded);
    await follower.stop();
    const expected = (word: string) =>
      Array.from({ length: 20_000 }, (_, count) => `${word} ${count} 字节\n`).join('');
    for (const [stream, word] of [
      ['stdout', 'out'],
      ['stderr', 'err'],
    ] as const) {
      const pieces = follower.events.filter(({ data }) => data.stream === stream);
      expect(pieces.map(({ data }) => data.text).join('') === expected(word), stream).toBe(true);
    }
    expect(follower.events.filter(({ type }) => type === 'run.ended')).toHaveLength(1);
  });

  it('reports an end that happens while the request is handled', async () => {
    const { app, executor, script } = await appInProcess();
    const { url } = await openGuarded(app);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ script_id: script });
    const accepted = await fetch(`${url}/api/execute`, { method: 'POST', headers, body });
    const runUrl = `${url}/api/runs/${accepted.headers.get('x-hob-run-id')}`;
    await executor.begun(1);
    const look = vi.spyOn(RunOutputs.prototype, 'reaches').mockImplementationOnce(async () => {
      executor.endAll();
      await fetch(`${runUrl}?wait=60`);
      return true;
    });
    onTestFinished(() => look.mockRestore());
    const client = await listenTo(`${runUrl}/events`);
    await client.closed;
    expect(client.events.map(({ type }) => type)).toEqual(['run.ended']);
  });

  it('says what was dropped from the middle of a huge output', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'huge', { entry: bash('yes 0123456 | head -c 200000') });
    const hob = await startHob({ scripts: [scripts], settings: 'output_log_mib = 0.0625\n' });
    const { headers } = await hob.run(id);
    const client = await listenTo(`${hob.url}/api/runs/${headers.get('x-hob-run-id')}/events`);
    expect(await client.closed).toBe(true);
    const pieces = client.events.filter(({ data }) => data.stream === 'stdout').map(({ data }) => data);
    const gap = pieces.find(({ missing }) => missing !== undefined);
    expect(gap).toEqual({
      run_id: headers.get('x-hob-run-id'),
      stream: 'stdout',
      offset: 32_768,
      missing: 200_000 - 65_536,
    });
    expect(pieces.reduce((sum, { bytes }) => sum + Number(bytes ?? 0), 0)).toBe(65_536);
    expect(client.lastId).toBe('200000-0-ended');
  });

  it('begins while the run is queued', async () => {
    const scripts = await tempFolder();
    const gate = join(await tempFolder(), 'gate');
    const id = await writeScript(scripts, 'waits', {
      entry: bash(`touch ${gate}.begun; while [ ! -e ${gate} ]; do sleep 0.02; done`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 1\n' });
    await hob.post('/api/execute', { script_id: id });
    const { body } = await hob.post('/api/execute', { script_id: id });
    const client = await listenTo(`${hob.url}/api/runs/${body.run_id}/events`);
    await client.until('its state is published', ({ events }) => events.length === 1);
    await fileThere(`${gate}.begun`);
    await writeFile(gate, '');
    expect(await client.closed).toBe(true);
    expect(client.events.map(({ type }) => type)).toEqual(['run.queued', 'run.started', 'run.ended']);
    expect(client.events.map(({ id: at }) => at)).toEqual(['0-0', '0-0', '0-0-ended']);
  });

  it('refuses an invalid resume id, and finds only existing runs', async () => {
    const id = await service.add('hello');
    const { hob } = service;
    const { headers } = await hob.run(id);
    const path = `/api/runs/${headers.get('x-hob-run-id')}/events`;
    const { body } = await hob.get(path.replace('/events', ''));
    const [stdout, stderr] = [Number(body.stdout_bytes), Number(body.stderr_bytes)];
    const beyond = [`${stdout + 1}-${stderr}`, `${stdout}-${stderr + 1}`, `${stdout + 1}-${stderr}-ended`];
    for (const since of ['5', '1-', 'a-b', '1-2-over', '-ended', ...beyond]) {
      expect((await hob.get(`${path}?since=${since}`)).status).toBe(400);
    }
    expect((await hob.get(`${path}?since=${stdout}-${stderr}-ended`)).status).toBe(204);
    expect((await ask(`${hob.url}${path}?since=${stdout}-${stderr}`, 'HEAD')).status).toBe(200);
    for (const way of ['', '/tree', '/events', '/stdout', '/stderr']) {
      expect(await hob.get(`${path.replace('/events', way)}?foo=1`)).toMatchObject({
        status: 400,
        body: { code: 'field-invalid' },
      });
    }
    expect((await hob.get(`${path.replace('/events', '')}?wait=`)).status).toBe(200);
    expect(await hob.get('/api/runs/93081ff8-7e74-4d11-9162-237fb30f8fee/events')).toMatchObject({
      status: 404,
      body: { code: 'run-unknown' },
    });
    expect(await ask(hob.url + path, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });
});
