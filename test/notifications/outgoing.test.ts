import { describe, expect, it } from 'vitest';

import { type Hob, runCli, startHob, tempFolder } from '../support/hob.ts';
import { startReceiver } from '../support/receiver.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const secretPath = '/geheim-4711/主题?auth=sesam-4712';

const settingsFor = (origin: string, rest = '') => `notify_url = "${origin}${secretPath}"\n${rest}`;

const outgoing = async (hob: Hob) => (await hob.get('/api/notifications/outgoing')).body;
const untilDelivered = (hob: Hob) =>
  until('everything is delivered', async () => (await outgoing(hob)).waiting === 0);

describe('notifications to a URL', () => {
  it('report the end of a failed run as JSON', async () => {
    const receiver = await startReceiver();
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'backup', {
      name: '每晚备份',
      entry: bash('echo "磁盘已满" >&2; exit 7'),
      runtime: 'notify_on = "failure"',
    });
    const hob = await startHob({ scripts: [scripts], settings: settingsFor(receiver.origin) });
    await hob.post('/api/execute', { script_id: id, sync: false });
    const [message] = await receiver.untilReceived(1);
    await untilDelivered(hob);
    expect(message?.target).toBe(`POST ${encodeURI(secretPath)}`);
    expect(message?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^hob\/\d/),
    });
    const [run] = [(await hob.get('/api/runs')).body.items].flat();
    const runId = Reflect.get(Object(run), 'run_id');
    expect(JSON.parse(message?.body ?? '')).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'error',
      title: '每晚备份',
      message: expect.stringContaining('磁盘已满'),
      at: expect.stringMatching(/Z$/),
      script_id: id,
      script_name: '每晚备份',
      run_id: runId,
      run_url: `${hob.url}/runs/${runId}`,
      state: 'failed',
      end_cause: 'exit',
      exit_code: 7,
    });
  });

  it('have the form of ntfy, and include messages of scripts if the user wants all', async () => {
    const receiver = await startReceiver();
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'tea', {
      name: '泡茶',
      language: 'python',
      entry: python('call("/api/notify", {"notify_type": "success", "message": "茶泡好了"})'),
    });
    const hob = await startHob({
      scripts: [scripts],
      settings: settingsFor(receiver.origin, 'notify_format = "ntfy"\nnotify_send = "all"\n'),
    });
    await hob.run(id);
    const [message] = await receiver.untilReceived(1);
    expect(message?.body).toBe('茶泡好了');
    expect(message?.headers).toMatchObject({
      'x-title': `=?UTF-8?B?${Buffer.from('泡茶').toString('base64')}?=`,
      'x-priority': '3',
      'x-tags': 'white_check_mark',
    });
    expect(message?.headers).not.toHaveProperty('x-click');
  });

  it('are sent again after a failure, with one warning in the log', async () => {
    const receiver = await startReceiver(
      (response, count) => void response.writeHead(count < 3 ? 500 : 200).end(),
    );
    const hob = await startHob({ settings: settingsFor(receiver.origin) });
    await hob.post('/api/notify', { notify_type: 'info', message: 'not sent' });
    await hob.post('/api/notify', { notify_type: 'error', message: '磁盘已满' });
    await receiver.untilReceived(1);
    const failing = await until(
      'the failure is known',
      async () => (await outgoing(hob)).last && outgoing(hob),
    );
    expect(failing).toMatchObject({
      origin: receiver.origin,
      format: 'json',
      send: 'errors',
      waiting: 1,
      last: { delivered: false, http_status: 500, problem: expect.stringContaining('500') },
    });
    const messages = await receiver.untilReceived(3);
    await untilDelivered(hob);
    expect(new Set(messages.map(({ body }) => body)).size).toBe(1);
    expect(JSON.parse(messages[0]?.body ?? '')).toMatchObject({ title: 'Hob', message: '磁盘已满' });
    expect(hob.log().match(/cannot deliver notifications/g)).toHaveLength(1);
    expect(hob.log().match(/notifications are delivered again/g)).toHaveLength(1);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'that hang do not delay a stop, and arrive after %s',
    async (signal) => {
      let isHanging = true;
      const receiver = await startReceiver((response) => {
        if (!isHanging) response.end();
      });
      const service = await startRestartable({ settings: settingsFor(receiver.origin) });
      for (const message of ['one', 'two'])
        await service.hob.post('/api/notify', { notify_type: 'error', message });
      await receiver.untilReceived(1);
      const beganMs = performance.now();
      await service.restart(signal, async () => {
        // A request fails after 10 s. The service does not wait for that.
        expect(performance.now() - beganMs).toBeLessThan(9000);
        isHanging = false;
      });
      const messages = await receiver.untilReceived(3);
      await untilDelivered(service.hob);
      expect(messages.map(({ body }) => JSON.parse(body).message)).toEqual(['one', 'one', 'two']);
    },
  );

  it('can be tested, with an explanation of what went wrong', async () => {
    const answers = [
      [200, {}],
      [404, {}],
      [302, { location: 'https://other.example/geheim-4711' }],
    ] as const;
    const receiver = await startReceiver((response, count) => {
      const [status, headers] = answers[count - 1] ?? [500, {}];
      response.writeHead(status, headers).end(`Cannot POST ${secretPath}`);
    });
    const hob = await startHob({ settings: settingsFor(receiver.origin) });
    const test = (language: string) =>
      hob.post('/api/notifications/test', {}, { 'accept-language': language });
    expect(await test('en')).toMatchObject({
      status: 200,
      body: { delivered: true, http_status: 200, problem: null, hint: null, duration_ms: expect.any(Number) },
    });
    expect((await test('zh')).body).toMatchObject({
      delivered: false,
      http_status: 404,
      hint: expect.stringContaining('路径'),
    });
    expect((await test('en')).body).toMatchObject({
      delivered: false,
      http_status: 302,
      problem: expect.stringContaining('https://other.example'),
      hint: expect.stringContaining('redirects'),
    });
    expect(receiver.received).toHaveLength(3);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'info', title: 'Hob' });
    // Tests are not kept for later.
    expect(await outgoing(hob)).toMatchObject({ waiting: 0, last: { http_status: 302 } });
  });

  it('never show more of the URL than its origin', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(401).end(secretPath));
    const hob = await startHob({ settings: settingsFor(receiver.origin, 'log_level = "trace"\n') });
    await hob.post('/api/notify', { notify_type: 'error', message: 'x' });
    await receiver.untilReceived(1);
    await untilDelivered(hob);
    const shown = [
      (await hob.get('/api/settings')).body,
      await outgoing(hob),
      (await hob.post('/api/notifications/test', {})).body,
      (await hob.get('/api/notifications')).body,
    ];
    const command = await runCli(['notify', '--test', '--home', hob.home]).ended;
    const doctor = await runCli(['doctor', '--json', '--home', hob.home]).ended;
    expect(JSON.parse(doctor.stdout).findings).toContainEqual({
      area: 'service',
      state: 'problem',
      what: expect.stringContaining(`not delivered to ${receiver.origin}: `),
      next: expect.stringContaining('hob notify --test'),
    });
    const texts = JSON.stringify([shown, command, doctor, hob.log(), hob.said()]);
    expect(texts).toContain(receiver.origin);
    expect(texts).not.toMatch(/geheim|sesam|4711|4712|主题/);
  });

  it('are tested by the command, which fails if the test fails', async () => {
    const receiver = await startReceiver(
      (response, count) => void response.writeHead(count === 1 ? 200 : 403).end(),
    );
    const hob = await startHob({ settings: settingsFor(receiver.origin) });
    const test = (...args: string[]) => runCli(['notify', '--test', '--home', hob.home, ...args]).ended;
    expect(await test()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Delivered: status 200/) });
    expect(await test()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('notify_url'),
    });
    const { code, stdout } = await test('--json');
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({ code: 1, answer: { delivered: false } });
    expect(await test('error', 'x')).toMatchObject({ code: 2 });
    expect(await runCli(['notify', 'error', '--home', hob.home]).ended).toMatchObject({ code: 2 });
  });

  it('cannot be tested by a script, or without a URL', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'tester', {
      language: 'python',
      entry: python(
        'status, answer = call("/api/notifications/test", {})\nwrite({"code": status, "msg": answer["code"]})',
      ),
    });
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(id)).body).toMatchObject({ result: { code: 403, msg: 'not-for-runs' } });
    expect(await hob.post('/api/notifications/test', {})).toMatchObject({
      status: 409,
      body: { code: 'notify-url-missing', hint: expect.stringContaining('settings.toml') },
    });
    expect(await outgoing(hob)).toEqual({ origin: null, format: null, send: null, waiting: 0, last: null });
  });
});
