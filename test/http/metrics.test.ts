import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Exposition, parseExposition } from '../support/exposition.ts';
import { executorPid, executorPids, type Hob, startHob, tempFolder, untilGone } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';

async function scrapeText(hob: Hob): Promise<string> {
  const response = await fetch(`${hob.url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return response.text();
}

async function scrape(hob: Hob): Promise<Exposition> {
  return parseExposition(await scrapeText(hob));
}

/** Scrapes until the numbers are there. An answer is counted when it is complete, which its reader may see earlier. */
function scrapeUntil(hob: Hob, what: string, isThere: (text: Exposition) => boolean): Promise<Exposition> {
  return until(what, async () => {
    const text = await scrape(hob);
    return isThere(text) && text;
  });
}

/** How runs ended, by script. */
function ends(text: Exposition): Record<string, string> {
  const series = text.series('hob_runs_ended_total').map(({ labels, value }) => {
    const { script = '', state, end_cause: cause, origin } = labels;
    return [script, `${value} ${state} ${cause} ${origin}`];
  });
  return Object.fromEntries(series);
}

/** Sends exactly these lines as a request, and waits until the answer is complete. */
function send(hob: Hob, ...lines: string[]): Promise<void> {
  const { port } = new URL(hob.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('close', () => resolve());
    socket.on('error', reject);
    socket.resume();
    socket.end(`${lines.map((line) => line.replaceAll('PORT', port)).join('\r\n')}\r\n\r\n`);
  });
}

describe('runs', () => {
  it('are counted by how they ended', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const write = (name: string, entry: [string, string], more = {}) =>
      writeScript(scripts, name, { entry, ...more });
    const good = await write('good', bash('printf 12345; printf 123 >&2'), { node: true });
    const bad = await write('bad', bash('exit 3'));
    const slow = await write('slow', bash('exec sleep 600'), { runtime: 'timeout = 0.2' });
    const patient = await write('patient', bash(`touch "${files}/patient"; exec sleep 600`));
    const foreign = await write('foreign', ['main.ahk', ''], { language: 'autohotkey' });
    const hob = await startHob({ scripts: [scripts], settings: 'stop_grace_s = 1\n' });
    const before = await scrape(hob);
    expect(before.series('hob_runs_ended_total')).toEqual([]);

    await hob.run(good);
    await hob.run(good);
    await hob.post('/api/link', { script_id: good });
    await hob.post('/api/execute', { script_id: bad, sync: true }, { 'x-hob-origin': 'cli' });
    await hob.run(slow);
    await hob.run(foreign);
    const { body } = await hob.post('/api/execute', { script_id: patient });
    await fileThere(join(files, 'patient'));
    expect((await scrape(hob)).value('hob_runs_running')).toBe(1);
    await hob.post(`/api/runs/${body.run_id}/cancel`, {});
    await hob.ended(String(body.run_id));

    const after = await scrapeUntil(hob, 'no run is left', (text) => text.value('hob_runs_running') === 0);
    after.assertGrownFrom(before);
    const goodEnds = after.series('hob_runs_ended_total').filter(({ labels }) => labels.script === 'good');
    expect(goodEnds.map(({ labels, value }) => [labels.script_id, labels.origin, value])).toEqual([
      [good, 'execute', 2],
      [good, 'link', 1],
    ]);
    expect(ends(after)).toEqual({
      good: '1 succeeded exit link',
      bad: '1 failed exit cli',
      slow: '1 failed timeout execute',
      foreign: '1 failed spawn-failed execute',
      patient: '1 failed cancelled execute',
    });
    const accepted = after.series('hob_runs_accepted_total').map(({ value }) => value);
    expect(accepted.reduce((sum, value) => sum + value)).toBe(7);
    const durations = after.series('hob_run_duration_seconds_count');
    expect(Object.fromEntries(durations.map(({ labels, value }) => [labels.script, value]))).toEqual({
      good: 3,
      bad: 1,
      slow: 1,
      patient: 1,
    });
    expect(after.value('hob_run_wait_seconds_count')).toBe(6);
    expect(after.value('hob_run_output_bytes_total', { stream: 'stdout' })).toBe(15);
    expect(after.value('hob_run_output_bytes_total', { stream: 'stderr' })).toBe(9);
  });

  it('that are queued are shown, with the limits', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'slow', {
      entry: bash(`touch "${files}/up"; while [ ! -e "${files}/go" ]; do sleep 0.05; done`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 1\nmax_queued = 1\n' });
    const first = await hob.post('/api/execute', { script_id: id });
    await fileThere(join(files, 'up'));
    const second = await hob.post('/api/execute', { script_id: id });
    expect((await hob.post('/api/execute', { script_id: id })).status).toBe(503);
    const text = await scrape(hob);
    expect(text.value('hob_runs_running')).toBe(1);
    expect(text.value('hob_runs_running_limit')).toBe(1);
    expect(text.value('hob_runs_waiting')).toBe(1);
    expect(text.value('hob_runs_waiting_limit')).toBe(1);
    expect(text.value('hob_refusals_total', { code: 'queue-full' })).toBe(1);
    await writeFile(join(files, 'go'), '');
    await Promise.all([first, second].map(({ body }) => hob.ended(String(body.run_id))));
    expect((await scrape(hob)).value('hob_run_wait_seconds_count')).toBe(2);
  });

  it('show the names of their scripts, with any characters, and never run ids or tokens', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'odd', {
      name: '\\"整理\\"\\\\下载\\n{b=\\"c\\"}',
      language: 'python',
      entry: python(`
for path in ["/api/runs/" + env["run_id"], "/api/nothing/" + env["run_id"], "/api/runs/x%2F%zz", "/" + env["run_id"]]:
    try:
        urllib.request.urlopen(env["api_base"] + path).read()
    except urllib.error.HTTPError:
        pass
print(env["run_id"], env["api_base"])
`),
    });
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.run(id);
    const [, runId = '', token = ''] = /^(\S+) http:.*\/r\/(\S+)\n$/.exec(String(body.stdout)) ?? [];
    expect(token).not.toBe('');
    const text = await scrapeUntil(
      hob,
      'all four are counted',
      (seen) => seen.value('hob_http_answers_total', unmatched) === 3,
    );
    expect(text.series('hob_runs_ended_total')).toMatchObject([
      { labels: { script_id: id, script: '"整理"\\下载\n{b="c"}' } },
    ]);
    const found = { route: '/api/runs/:id', method: 'GET', status: '2xx' };
    expect(text.value('hob_http_answers_total', found)).toBe(1);
    const raw = await scrapeText(hob);
    expect(raw).not.toContain(runId);
    expect(raw).not.toContain(token);
  });
});

const unmatched = { route: 'unmatched', method: 'GET', status: '4xx' };

describe('requests', () => {
  it('that access control refuses are counted by rule', async () => {
    const hob = await startHob();
    const host = 'Host: 127.0.0.1:PORT';
    const get = 'GET /api/health HTTP/1.1';
    await send(hob, get);
    for (const name of ['evil.test', 'evil.test:PORT']) await send(hob, get, `Host: ${name}`);
    await send(hob, get, host, 'Origin: http://evil.test');
    await send(hob, get, host, 'Sec-Fetch-Site: cross-site');
    await send(hob, 'OPTIONS /api/health HTTP/1.1', host);
    await send(hob, 'GET //api/health HTTP/1.1', host);
    await send(hob, 'GET /metrics HTTP/1.1', host, 'Origin: http://evil.test');
    const text = await scrape(hob);
    const counts = text
      .series('hob_door_refusals_total')
      .filter(({ value }) => value > 0)
      .map(({ labels, value }) => [labels.rule ?? '', value]);
    const expected = {
      'door-host-missing': 1,
      'door-host': 2,
      'door-origin': 2,
      'door-fetch-site': 1,
      'door-method': 1,
      'door-protocol': 1,
    };
    expect(Object.fromEntries(counts)).toEqual(expected);
    const { refused } = (await hob.get('/api/health')).body;
    expect(refused).toMatchObject({ ...expected, 'door-token': 0, 'request-timeout': 0 });
    expect(text.series('hob_http_answers_total')).toEqual([]);
  });

  it('are counted by route, with durations where only Hob determines them', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'script', {});
    const hob = await startHob({ scripts: [scripts] });
    const execute = { route: '/api/execute', method: 'POST' };
    const answers = (text: Exposition, status: string) =>
      text.value('hob_http_answers_total', { ...execute, status });
    await hob.run(id);
    const sync = await scrapeUntil(hob, 'the call is counted', (text) => answers(text, '2xx') === 1);
    expect(sync.value('hob_http_answer_duration_seconds_count', execute)).toBeUndefined();

    const { body } = await hob.post('/api/execute', { script_id: id });
    await hob.post('/api/execute', {});
    await send(hob, 'nonsense');
    const text = await scrapeUntil(hob, 'the refusal is counted', (seen) => answers(seen, '4xx') === 1);
    expect(answers(text, '2xx')).toBe(2);
    expect(text.value('hob_http_answer_duration_seconds_count', execute)).toBe(2);
    expect(text.value('hob_refusals_total', { code: 'script-id-missing' })).toBe(1);
    expect(text.value('hob_door_refusals_total', { rule: 'request-malformed' })).toBe(1);
    await hob.ended(String(body.run_id));
  });

  it('of callers that disconnect before an answer are counted as such', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'slow', {
      entry: bash(`touch "${files}/up"; while [ ! -e "${files}/go" ]; do sleep 0.05; done`),
    });
    const hob = await startHob({ scripts: [scripts] });
    const leaving = new AbortController();
    const call = fetch(`${hob.url}/api/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ script_id: id, sync: true }),
      signal: leaving.signal,
    });
    await fileThere(join(files, 'up'));
    leaving.abort();
    await expect(call).rejects.toThrow();
    const labels = { route: '/api/execute', method: 'POST', status: 'none' };
    await scrapeUntil(hob, 'it is counted', (text) => text.value('hob_http_answers_total', labels) === 1);
    await writeFile(join(files, 'go'), '');
    await scrapeUntil(hob, 'the run has ended', (text) => text.value('hob_runs_running') === 0);
  });

  it('for metrics may use HEAD', async () => {
    const hob = await startHob();
    const response = await fetch(`${hob.url}/metrics`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(1000);
    expect(await response.text()).toBe('');
  });
});

describe('the service', () => {
  it('shows its version, its scripts and its process', async () => {
    const scripts = await tempFolder();
    await writeScript(scripts, 'good', {});
    await writeScript(scripts, 'broken', { language: 'klingon' });
    const hob = await startHob({ scripts: [scripts] });
    const text = await scrapeUntil(hob, 'the scripts are loaded', (seen) => seen.value('hob_scripts') === 1);
    expect(text.value('hob_script_files_with_errors')).toBe(1);
    const { version, interface: implemented, containment } = (await hob.get('/api/health')).body;
    const build = { version: String(version), interface: String(implemented) };
    expect(text.value('hob_build_info', build)).toBe(1);
    expect(text.value('hob_executor_info', { containment: String(containment) })).toBe(1);
    expect(text.value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(text.value('nodejs_heap_size_used_bytes')).toBeGreaterThan(0);
  });

  it('shows that an executor was lost, and that there is a new one', async () => {
    const hob = await startHob();
    const before = await scrape(hob);
    expect(before.value('hob_executor_up')).toBe(1);
    expect(before.value('hob_executor_launches_total')).toBe(1);
    expect(before.value('hob_executor_losses_total')).toBe(0);
    process.kill(await executorPid(hob.home), 'SIGKILL');
    const after = await scrapeUntil(
      hob,
      'there is another',
      (text) => text.value('hob_executor_launches_total') === 2 && text.value('hob_executor_up') === 1,
    );
    expect(after.value('hob_executor_losses_total')).toBe(1);
    after.assertGrownFrom(before);
    const executors = await executorPids(hob.home);
    await hob.stop();
    for (const pid of executors) await untilGone(pid);
  });

  it('answers while it stops, and the requests do not delay the stop', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'slow', {
      entry: bash(`touch "${files}/up"; while [ ! -e "${files}/go" ]; do sleep 0.05; done`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'drain_s = 60\n' });
    await scrape(hob);
    const answer = hob.run(id);
    await fileThere(join(files, 'up'));
    const stopped = hob.stop();
    await until('it stops', async () => hob.log().includes('stopping: '));
    expect((await hob.run(id)).status).toBe(503);
    const text = await scrape(hob);
    expect(text.value('hob_runs_running')).toBe(1);
    expect(text.value('hob_refusals_total', { code: 'service-stopping' })).toBe(1);
    await writeFile(join(files, 'go'), '');
    expect((await answer).status).toBe(200);
    expect(await stopped).toBe(0);
  });
});
