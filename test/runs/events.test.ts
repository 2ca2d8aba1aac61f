import { describe, expect, it, onTestFinished } from 'vitest';

import { ask } from '../support/ask.ts';
import { EventFollower, findFaults, listenTo } from '../support/event-client.ts';
import { type Hob, launchHob, startHob, tempFolder } from '../support/hob.ts';
import { NotificationFlood } from '../support/notification-flood.ts';
import { startTraced, traceProcesses } from '../support/processes.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { until } from '../support/until.ts';

const service = shareService();

describe('GET /api/events', () => {
  it('reports that a run was queued, started and ended, in this order', async () => {
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

  it('can be resumed anywhere, also at the next service, with the same bytes', async () => {
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

  it('reports an unknown event id of a client, and sends the events it has', async () => {
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

  it('sends notifications and changes of scripts to the clients that subscribed to them', async () => {
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
    const { items } = (await hob.get('/api/notifications')).body;
    const { script_id: _id, ...listed } = Object(items)[0];
    expect(some.events[0]?.data).toEqual(listed);
    expect(listed).toMatchObject({ run_id: runId, script_name: '通知', message: '完成', duration: 5000 });
    expect(some.events[1]?.data).toMatchObject({ scripts: 2, problems: 0 });
    expect(all.events.map(({ type }) => type)).toContain('notification');
  });

  it('refuses an invalid resume id and unknown types, and answers HEAD', async () => {
    const { hob } = service;
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
    expect(await ask(`${hob.url}/api/events`, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it('never stays silent for long', async () => {
    const hob = await startHob({ settings: 'heartbeat_s = 0.1\n' });
    const client = await listenTo(`${hob.url}/api/events?types=run.ended`);
    const start = client.lastId;
    await client.until('three heartbeats', ({ comments }) => comments >= 3);
    await hob.post('/api/notify', { notify_type: 'info' });
    // When the client resumes, events of other types need not be scanned again.
    await client.until('its place has moved', ({ lastId }) => Number(lastId) > Number(start));
    expect(client.events).toEqual([]);
  });

  it('ends immediately when the service stops, after the last event', async () => {
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

  it('has each event of each run once, in order, also when the service is killed repeatedly', async () => {
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
    const endedRuns = () =>
      new Set(follower.events.filter(({ type }) => type === 'run.ended').map(({ data }) => data.run_id));
    await until('the last end was published', async () => accepted.every((runId) => endedRuns().has(runId)));
    const health = async () => (await hob.get('/api/health')).body;
    await until('no run is active', async () => {
      const { running, queued } = await health();
      return running === 0 && queued === 0;
    });
    await follower.stop();
    expect(findFaults(follower.events)).toEqual([]);
    expect(follower.connections).toBeGreaterThan(1);
  });

  it('disconnects a client that does not read, and lets it resume', async () => {
    const hob = await startHob({ settings: 'heartbeat_s = 0.5\n' });
    const flood = new NotificationFlood(hob.url);
    const stuck = await listenTo(`${hob.url}/api/events`);
    stuck.pause();
    const reader = await listenTo(`${hob.url}/api/events`);
    let sent = 0;
    // How many events that takes depends on the size of the socket buffers.
    while (!hob.log().includes('closed an event stream: the client does not read')) {
      await flood.send(200);
      sent += 200;
    }
    await reader.until('all are there', ({ events }) => events.length === sent);
    stuck.resume();
    expect(await stuck.closed).toBe(false);
    expect(stuck.events.length).toBeLessThan(sent);
    const back = await listenTo(`${hob.url}/api/events`, stuck.lastId);
    await back.until('the newest is there', ({ lastId }) => lastId === reader.lastId);
    expect([...stuck.events, ...back.events]).toEqual(reader.events);
  });
});

describe('POST /api/progress', () => {
  it('is published a few times a second, the last value before the end', async () => {
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

  it('is accepted for a live run only, and other requests get a clear error', async () => {
    const id = await service.add('tries', {
      language: 'python',
      entry: python(`
tries = [{}, {"fraction": 2}, {"fraction": -0.1}, {"fraction": "x"}, {"message": 5}, {"fraction": None, "message": None}]
results = [call("/api/progress", body)[0] for body in tries]
results.append(call("/api/progress", {"message": "x" * 5000})[0])
results.append(call("/api/progress", {"fraction": 1, "message": None})[0])
write({"code": 0, "msg": "", "results": results, "base": env["api_base"]})`),
    });
    const { hob } = service;
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
