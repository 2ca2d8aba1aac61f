import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { EventFollower, findFaults, listenTo } from './support/event-client.ts';
import { type Hob, launchHob, startHob, tempFolder } from './support/hob.ts';
import { NotificationFlood } from './support/notification-flood.ts';
import { startTraced, traceProcesses } from './support/processes.ts';
import { bash, python, writeScript } from './support/scripts.ts';
import { fileThere, until } from './support/until.ts';

const asked = (path: string, url: string, method = 'GET') =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(url + path, { method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.once('error', reject);
    sent.end();
  });

describe('GET /api/events', () => {
  it('tells of a run that it was queued, started and ended, in this order', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'hello', {
      name: '你好',
      entry: bash('printf \'{\n"code": 0,\r\n "msg":"完成\\u2028"}\' > "$output"'),
    });
    const hob = await startHob({ scripts: [scripts] });
    const client = await listenTo(`${hob.url}/api/events`);
    expect(client.status).toBe(200);
    expect(client.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const { body, headers } = await hob.run(id);
    expect(body.success).toBe(true);
    const runId = String(headers.get('x-hob-run-id'));
    await client.until('the run ended', ({ events }) => events.some(({ type }) => type === 'run.ended'));
    const events = client.ofRun(runId);
    expect(events.map(({ type }) => type)).toEqual(['run.queued', 'run.started', 'run.ended']);
    expect(events.map(({ data }) => data.state)).toEqual(['queued', 'running', 'succeeded']);
    const record = (await hob.get(`/api/runs/${runId}`)).body;
    expect({ ...events[2]?.data, left_running: null }).toEqual({ ...record, left_running: null });
    expect(client.retryMs).toBe(1000);
  });

  it('can be resumed anywhere, also by the next service, and is the same to the byte', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'hello');
    const home = await tempFolder();
    const hob = await startHob({ home, scripts: [scripts] });
    const client = await listenTo(`${hob.url}/api/events`, '0');
    for (let count = 0; count < 5; count++) await hob.run(id);
    const isEnd = ({ type }: { type: string }) => type === 'run.ended';
    await client.until('all ended', ({ events }) => events.filter(isEnd).length === 5);
    const seen = client.events;
    const middle = seen[7];
    const again = await listenTo(`${hob.url}/api/events?since=${middle?.id}`);
    await again.until('it has all', ({ events }) => events.length === seen.length - 8);
    expect(again.events).toEqual(seen.slice(8));
    await hob.stop();

    const next = await startHob({ home, scripts: [scripts] });
    const later = await listenTo(`${next.url}/api/events`, middle?.id);
    await next.run(id);
    await later.until('the next ended', ({ events }) => events.filter(isEnd).length === 5 - 2 + 1);
    expect(later.events.slice(0, seen.length - 8)).toEqual(seen.slice(8));
    expect(later.events.slice(seen.length - 8).map(({ type }) => type)).toEqual([
      'run.queued',
      'run.started',
      'run.ended',
    ]);
  });

  it('says when the client knows an event that was never here, and gives what there is', async () => {
    const hob = await startHob();
    await hob.post('/api/notify', { notify_type: 'info', message: '茶泡好了' });
    const client = await listenTo(`${hob.url}/api/events?types=notification`, '123456');
    await client.until('both are there', ({ events }) => events.length === 2);
    expect(client.events[0]).toMatchObject({ type: 'events.missed', data: { after: 123456, next: 1 } });
    expect(client.events[1]).toMatchObject({
      type: 'notification',
      data: { notify_type: 'info', message: '茶泡好了', run_id: null, script_name: null },
    });
  });

  it('tells of notifications and of scripts that come and go, each to who wants to hear of it', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'notifier', {
      name: '通知',
      language: 'python',
      entry: python('call("/api/notify", {"notify_type": "success", "message": "完成"})'),
    });
    const hob = await startHob({ scripts: [scripts] });
    const all = await listenTo(`${hob.url}/api/events`);
    const some = await listenTo(`${hob.url}/api/events?types=scripts.changed,notification`);
    const { headers } = await hob.run(id);
    const runId = headers.get('x-hob-run-id');
    await all.until('the run ended', ({ events }) => events.some(({ type }) => type === 'run.ended'));
    await writeScript(scripts, 'another');
    await some.until('both are there', ({ events }) => events.some(({ type }) => type === 'scripts.changed'));
    expect(some.events.map(({ type }) => type)).toEqual(['notification', 'scripts.changed']);
    expect(some.events[0]?.data).toMatchObject({ run_id: runId, script_name: '通知', message: '完成' });
    expect(some.events[1]?.data).toMatchObject({ scripts: 2, problems: 0 });
    expect(all.events.map(({ type }) => type)).toContain('notification');
  });

  it('refuses what it cannot resume from and types it does not know, and answers HEAD', async () => {
    const hob = await startHob();
    for (const query of [
      'since=abc',
      'since=-1',
      'since=1.5',
      'since=1&since=2',
      `since=${'9'.repeat(30)}`,
    ]) {
      expect(await hob.get(`/api/events?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'field-invalid' },
      });
    }
    expect((await hob.get('/api/events', { 'last-event-id': 'x' })).status).toBe(400);
    for (const types of ['run.output', 'run.ended,', 'x']) {
      const { status, body } = await hob.get(`/api/events?types=${types}`);
      expect(status).toBe(400);
      expect(body.message).toContain('run.queued, run.started, run.progress, run.ended, notification');
    }
    expect(await asked('/api/events', hob.url, 'HEAD')).toEqual({ status: 200, text: '' });
  });

  it('is never silent for long', async () => {
    const hob = await startHob({ settings: 'heartbeat_s = 0.1\n' });
    const client = await listenTo(`${hob.url}/api/events?types=run.ended`);
    const start = client.lastId;
    await client.until('three heartbeats', ({ comments }) => comments >= 3);
    await hob.post('/api/notify', { notify_type: 'info' });
    // What it does not want to hear of need not be gone through again when it resumes.
    await client.until('its place has moved', ({ lastId }) => Number(lastId) > Number(start));
    expect(client.events).toEqual([]);
  });

  it('ends at once when the service stops, and is heard to the last', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'waits', { entry: bash('sleep 60') });
    const { hob } = await startTraced({ scripts: [scripts] });
    const clients = await Promise.all(Array.from({ length: 20 }, () => listenTo(`${hob.url}/api/events`)));
    const { body } = await hob.post('/api/execute', { script_id: id });
    const own = await listenTo(`${hob.url}/api/runs/${body.run_id}/events`);
    await own.until('it runs', ({ events }) => events.some(({ type }) => type === 'run.started'));
    await hob.post('/api/stop', { all: true });
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual(clients.map(() => true));
    for (const { events } of clients) {
      expect(events.map(({ type }) => type)).toEqual(['run.queued', 'run.started', 'run.ended']);
      expect(events.at(-1)?.data.end_cause).toBe('shutdown');
    }
    expect(await own.closed).toBe(true);
    expect(hob.log()).not.toContain('MaxListeners');
  });

  it('has each event of each run once, in order, also when the service is killed again and again', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'short', { entry: bash('sleep 0.05') });
    const trace = traceProcesses();
    const home = await tempFolder();
    const launch = () => launchHob({ home, scripts: [scripts], env: trace.env });
    let hob: Hob = await launch();
    onTestFinished(async () => {
      await hob.stop();
      await trace.noneLeft();
    });
    const follower = new EventFollower(() => `${hob.url}/api/events`, '0');
    const accepted: string[] = [];
    for (let kill = 0; kill < 4; kill++) {
      const posting = Array.from({ length: 15 }, async () => {
        const { body } = await hob.post('/api/execute', { script_id: id });
        accepted.push(String(body.run_id));
      });
      await Promise.any(posting);
      await hob.stop('SIGKILL');
      await Promise.allSettled(posting);
      hob = await launch();
    }
    for (const runId of accepted) await hob.ended(runId);
    const told = () =>
      new Set(follower.events.filter(({ type }) => type === 'run.ended').map(({ data }) => data.run_id));
    await until('the last end was told', async () => accepted.every((runId) => told().has(runId)));
    const health = async () => (await hob.get('/api/health')).body;
    await until('nothing is under way', async () => {
      const { running, queued } = await health();
      return running === 0 && queued === 0;
    });
    await follower.stop();
    expect(findFaults(follower.events)).toEqual([]);
    expect(follower.connections).toBeGreaterThan(1);
  }, 60_000);

  it('drops a client that does not read, and lets it resume', async () => {
    const hob = await startHob({ settings: 'heartbeat_s = 0.5\n' });
    const flood = new NotificationFlood(hob.url);
    const stuck = await listenTo(`${hob.url}/api/events`);
    stuck.pause();
    const reader = await listenTo(`${hob.url}/api/events`);
    await flood.send(6000);
    await until('it was dropped', async () => hob.log().includes('does not read its events'));
    await reader.until('all are there', ({ events }) => events.length === 6000);
    stuck.resume();
    expect(await stuck.closed).toBe(false);
    expect(stuck.events.length).toBeLessThan(6000);
    const back = await listenTo(`${hob.url}/api/events`, stuck.lastId);
    await back.until('the newest is there', ({ lastId }) => lastId === reader.lastId);
    expect([...stuck.events, ...back.events]).toEqual(reader.events);
  }, 60_000);
});

describe('POST /api/progress', () => {
  it('is told a few times a second, the last one before the end', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'counts', {
      name: '进度',
      language: 'python',
      entry: python(`
answers = set()
for step in range(1000):
    answers.add(json.dumps(call("/api/progress", {"fraction": step / 1000, "message": f"第 {step} 步"})))
print(answers)
`),
    });
    const hob = await startHob({ scripts: [scripts] });
    const client = await listenTo(`${hob.url}/api/events`);
    const { headers, body } = await hob.run(id);
    expect(body.stdout).toBe(`{'[200, {"status": "success"}]'}\n`);
    const runId = headers.get('x-hob-run-id');
    await client.until('the run ended', ({ events }) => events.some(({ type }) => type === 'run.ended'));
    const types = client.events.map(({ type }) => type);
    const steps = client.events.filter(({ type }) => type === 'run.progress');
    expect(types.slice(0, 2)).toEqual(['run.queued', 'run.started']);
    expect(types.slice(2, -1).every((type) => type === 'run.progress')).toBe(true);
    expect(steps.at(-1)?.data).toEqual({
      run_id: runId,
      script_id: id,
      script_name: '进度',
      fraction: 0.999,
      message: '第 999 步',
      at: expect.any(String),
    });
    const seconds = Number((await hob.get(`/api/runs/${runId}`)).body.duration_ms) / 1000;
    expect(steps.length).toBeLessThanOrEqual(5 * seconds + 2);
    const resumed = await listenTo(`${hob.url}/api/events`, client.events[1]?.id);
    await resumed.until('the end is there', ({ events }) => events.length === 2);
    expect(resumed.events).toEqual(client.events.slice(-2));
  });

  it('is for a run that lasts, and says what is wrong otherwise', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'tries', {
      language: 'python',
      entry: python(`
tries = [{}, {"fraction": 2}, {"fraction": -0.1}, {"fraction": "x"}, {"message": 5}, {"fraction": None, "message": None}]
results = [call("/api/progress", body)[0] for body in tries]
results.append(call("/api/progress", {"message": "x" * 5000})[0])
results.append(call("/api/progress", {"fraction": 1, "message": None})[0])
write({"code": 0, "msg": "", "results": results, "base": env["api_base"]})`),
    });
    const hob = await startHob({ scripts: [scripts] });
    const result = JSON.parse(JSON.stringify((await hob.run(id)).body.result));
    expect(result.results).toEqual([400, 400, 400, 400, 400, 400, 200, 200]);
    const path = new URL(result.base).pathname;
    expect(await hob.post(`${path}/api/progress`, { fraction: 1 })).toMatchObject({
      status: 409,
      body: { code: 'run-ended' },
    });
    const bare = await hob.post('/api/progress', { fraction: 1 });
    expect(bare).toMatchObject({ status: 403, body: { code: 'progress-needs-run' } });
    expect(bare.body.hint).toContain('api_base');
    expect((await hob.postForm(`${path}/api/progress`, { fraction: '1' })).status).toBe(415);
  });
});

describe('GET /api/runs/<id>/events', () => {
  it('has the state, the progress and the output of a run as they come, and then its end', async () => {
    const scripts = await tempFolder();
    const gate = join(await tempFolder(), 'gate');
    const id = await writeScript(scripts, 'talks', {
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
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.post('/api/execute', { script_id: id });
    const path = `${hob.url}/api/runs/${body.run_id}/events`;
    const client = await listenTo(path);
    expect(client.headers['x-hob-run-id']).toBe(body.run_id);
    const has = (type: string) => client.events.some((event) => event.type === type);
    const stderr = () => client.events.some(({ data }) => data.stream === 'stderr');
    const stdout = () => client.events.some(({ data }) => data.stream === 'stdout');
    await client.until('it is half way', () => has('run.progress') && stderr() && stdout());
    // Who comes later gets the state and all output; who resumes gets the state and what is new.
    const late = await listenTo(path);
    await late.until('it knows as much', ({ events }) => events.length >= 4);
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
    // All is known: a browser stops asking when it hears this.
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

  it('tells of large output on both streams, byte for byte, to a client that is cut off on the way', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'floods', {
      language: 'python',
      entry: python(`
import threading
def write_all(stream, word):
    for count in range(20000): stream.write(f"{word} {count} 字节\\n")
threads = [threading.Thread(target=write_all, args=each) for each in ((sys.stdout, "out"), (sys.stderr, "err"))]
for thread in threads: thread.start()
for thread in threads: thread.join()`),
    });
    const hob = await startHob({ scripts: [scripts] });
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

  it('begins while the run waits for its turn', async () => {
    const scripts = await tempFolder();
    const gate = join(await tempFolder(), 'gate');
    const id = await writeScript(scripts, 'waits', {
      entry: bash(`touch ${gate}.begun; while [ ! -e ${gate} ]; do sleep 0.02; done`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 1\n' });
    await hob.post('/api/execute', { script_id: id });
    const { body } = await hob.post('/api/execute', { script_id: id });
    const client = await listenTo(`${hob.url}/api/runs/${body.run_id}/events`);
    await client.until('its state is told', ({ events }) => events.length === 1);
    await fileThere(`${gate}.begun`);
    await writeFile(gate, '');
    expect(await client.closed).toBe(true);
    expect(client.events.map(({ type }) => type)).toEqual(['run.queued', 'run.started', 'run.ended']);
    expect(client.events.map(({ id: at }) => at)).toEqual(['0-0', '0-0', '0-0-ended']);
  });

  it('refuses what is no place in it, and knows only runs that there are', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'hello');
    const hob = await startHob({ scripts: [scripts] });
    const { headers } = await hob.run(id);
    const path = `/api/runs/${headers.get('x-hob-run-id')}/events`;
    for (const since of ['5', '1-', 'a-b', '1-2-over', '-ended']) {
      expect((await hob.get(`${path}?since=${since}`)).status).toBe(400);
    }
    expect(await hob.get('/api/runs/93081ff8-7e74-4d11-9162-237fb30f8fee/events')).toMatchObject({
      status: 404,
      body: { code: 'run-unknown' },
    });
    expect(await asked(path, hob.url, 'HEAD')).toEqual({ status: 200, text: '' });
  });
});
