import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { EventFollower, listenTo } from '../support/event-client.ts';
import { executorPid, runCli, untilGone } from '../support/hob.ts';
import { processesWith } from '../support/processes.ts';
import { startRestartable } from '../support/restartable.ts';
import { dressed, Secrets, Witness, writeSecretiveScripts } from '../support/secret-scene.ts';
import {
  everythingIn,
  type Place,
  SecretSearch,
  said,
  spellingsOf,
  whatProcessesShow,
} from '../support/secret-search.ts';
import { fileThere, until } from '../support/until.ts';

describe('the search for secrets', () => {
  const value = dressed();
  const search = new SecretSearch().add({ name: 'it', value });

  it.each([...spellingsOf(value)])('finds one that is encoded as %s', (spelling, bytes) => {
    const place = { at: 'here', bytes: Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]) };
    expect(search.findIn([place])).toContain(`here: it (${spelling})`);
    expect(search.findIn([place], (at) => at === 'here')).toEqual([]);
  });

  /** How other languages write the same text. */
  const elsewhere: [string, string][] = [
    ['in the middle of base64', Buffer.from(`{"params":"${value}"}`).toString('base64')],
    ['in the middle of base64, one further', Buffer.from(`{"params": "${value}"}`).toString('base64')],
    ['in the middle of base64, two further', Buffer.from(`{"params" : "${value}"}`).toString('base64url')],
    ['in the query of an address', new URL(`http://x/?q=${encodeURIComponent(value)}`).href],
    ['in a form', new URLSearchParams({ params: JSON.stringify({ value }) }).toString()],
    ['in a log line of JSON', JSON.stringify({ msg: JSON.stringify({ value }) })],
    ['cut', value.slice(0, 20)],
    ['of which only the beginning is quoted', `..., "${value.slice(0, 10)}"... is not valid JSON`],
    ['of which only the end is quoted', `…${value.slice(-10)}`],
    ['split at its line ends', value.split('\n').join('\n  | ')],
  ];
  it.each(elsewhere)('finds one %s', (_how, text) => {
    expect(search.findIn([said('here', text)])).not.toEqual([]);
  });

  it('finds nothing if there is none', () => {
    const others = [...spellingsOf(dressed())].map(([at, bytes]) => ({ at, bytes }));
    expect(search.findIn(others)).toEqual([]);
  });

  it('does not search for texts that could occur by chance', () => {
    expect(() => search.add({ name: 'short', value: 'abc' })).toThrow(/too short/);
  });
});

it('a secret is in the parameter file of its run while that lasts, and never anywhere else', async () => {
  const secrets = new Secrets();
  const scene = await writeSecretiveScripts(secrets);
  const { ids } = scene;
  const service = await startRestartable({
    scripts: [scene.scripts],
    settings: 'log_level = "trace"\nmax_queued = 2\njson_body_mib = 1\n',
  });
  const home = service.hob.home;
  const witness = new Witness(() => service.hob.url);
  const follower = new EventFollower(() => `${service.hob.url}/api/events`, '0');
  const logs: Place[] = [];
  const restart = async (signal: NodeJS.Signals) => {
    const before = service.hob;
    await service.restart(signal);
    logs.push(said('the log of a service before', before.log()));
  };
  const execute = (scriptId: string, params: unknown, rest = {}, headers = {}) =>
    witness.post('/api/execute', { script_id: scriptId, params, ...rest }, headers);
  const now = { sync: true };

  /** All that Hob stores and outputs, searched for all secrets. Only the parameter files of `live` runs may contain some. */
  const everything = async (): Promise<Place[]> => [
    ...(await everythingIn(home)),
    ...(await whatProcessesShow(await processesWith(`TEST_TRACE=${await traceOf(service.hob.process.pid)}`))),
    ...witness.heard,
    ...logs,
    said('the log', service.hob.log()),
    ...follower.events.map(({ id, type, text }) => said(`event ${id} ${type}`, text)),
  ];
  const searched = async (live: readonly string[] = []) => {
    const search = new SecretSearch();
    for (const secret of [...secrets.all, ...(await scene.tokens())]) search.add(secret);
    const places = await everything();
    const allowed = live.map((runId) => join(home, 'runs', runId, 'params.json'));
    // The secrets are found where they may be, so the search would find them elsewhere too.
    const filed = search.findIn(places.filter(({ at }) => allowed.includes(at)));
    expect(allowed.filter((path) => !filed.some((line) => line.startsWith(path)))).toEqual([]);
    expect(search.findIn(places, (at) => allowed.includes(at))).toEqual([]);
    return places;
  };

  // Secrets through every kind of request.
  const plain = dressed();
  const nested = {
    token: secrets.next('a text'),
    list: [1, [secrets.next('in a list')]],
    dict: { deep: { [secrets.next('a key in a table')]: secrets.next('in a table') } },
    plain,
  };
  const first = await execute(ids.quiet, nested, now);
  expect(first.status).toBe(200);
  const form = {
    script_id: ids.quiet,
    sync: '1',
    params: JSON.stringify({ token: secrets.next('in a form') }),
  };
  expect(
    (await witness.ask('/api/execute', { method: 'POST', body: new URLSearchParams(form) })).status,
  ).toBe(200);
  const file = JSON.stringify({ params: { token: secrets.next('in a file') } });
  const temp_file = await scene.fileWith('arguments', file);
  expect((await execute(ids.quiet, {}, { ...now, temp_file })).status).toBe(200);
  expect((await execute(ids.failing, { token: secrets.next('in a failing run') }, now)).status).toBe(200);
  expect((await execute(ids.unstartable, { token: secrets.next('without a process') }, now)).status).toBe(
    200,
  );
  const linked = await execute(ids.linking, { token: secrets.next('in a link') }, now);
  expect(linked.text).toContain('linked: 200');
  const key = { 'idempotency-key': 'a-key-that-says-nothing' };
  const keyed = { token: secrets.next('with a key') };
  for (const status of [200, 200]) expect((await execute(ids.quiet, keyed, now, key)).status).toBe(status);
  expect((await execute(ids.quiet, { token: secrets.next('with a used key') }, now, key)).status).toBe(409);
  expect((await witness.post(`/api/runs/${first.runId}/rerun`, {})).text).toContain('secrets-needed');
  const again = {
    token: secrets.next('sent again'),
    list: [],
    dict: {},
    preset: secrets.next('not the default'),
  };
  const rerun = await witness.post(`/api/runs/${first.runId}/rerun`, { params: again });
  expect(rerun.status).toBe(200);
  await service.hob.ended(rerun.runId);

  // Refused requests.
  const refusals: [string, unknown][] = [
    ['of another type', { number: secrets.next('of another type') }],
    ['a number of another type', { list: Number(secrets.next('a number', '81234567890123')) }],
    ['no choice', { choice: secrets.next('no choice') }],
    ['a table for a list', { list: { [secrets.next('a key')]: secrets.next('in a wrong table') } }],
    ['no params', secrets.next('in the place of params')],
  ];
  for (const [what, params] of refusals)
    for (const language of ['en', 'zh'])
      expect([what, (await execute(ids.typed, params, now, { 'accept-language': language })).status]).toEqual(
        [what, 400],
      );
  const long = `${secrets.next('too long')}${'x'.repeat(1_100_000)}`;
  expect((await execute(ids.quiet, { token: long }, now)).status).toBe(413);
  const broken = () => `{"script_id":"${ids.quiet}","params":{"token":${secrets.next('in broken JSON')}}}`;
  expect((await witness.post('/api/execute', broken())).status).toBe(400);
  expect((await witness.post('/api/link', broken())).status).toBe(400);
  expect((await witness.post(`/api/runs/${first.runId}/rerun`, broken())).status).toBe(400);
  const brokenForm = new URLSearchParams({ script_id: ids.quiet, params: broken() });
  expect((await witness.ask('/api/execute', { method: 'POST', body: brokenForm })).status).toBe(400);
  const brokenFile = await scene.fileWith('broken', broken());
  expect((await execute(ids.quiet, {}, { temp_file: brokenFile })).status).toBe(400);
  await searched();

  // Runs that last or are queued, and requests refused because the queue is full.
  const running = await execute(ids.holding, { token: secrets.next('in a lasting run') });
  await fileThere(scene.started(running.runId));
  const own = await listenTo(`${service.hob.url}/api/runs/${running.runId}/events`);
  const queued = await execute(ids.holding, { token: secrets.next('in a waiting run') });
  const waiting = execute(ids.holding, { token: secrets.next('in a run that is waited for') }, now);
  const waitingId = await until('the third waits', async () => {
    const { body } = await service.hob.get('/api/runs?state=queued');
    const items: unknown[] = Array.isArray(body.items) ? body.items : [];
    const found = items.map((item) => String(Reflect.get(Object(item), 'run_id')));
    return found.find((runId) => runId !== queued.runId);
  });
  expect((await execute(ids.holding, { token: secrets.next('of a full queue') })).status).toBe(503);
  expect((await execute(ids.holding, { token: secrets.next('of a full queue') }, now)).status).toBe(503);
  const shown = await searched([running.runId, queued.runId, waitingId]);
  const cmdlines = shown.filter(({ at }) => at.startsWith('/proc/') && at.endsWith('cmdline'));
  expect(cmdlines.filter(({ bytes }) => bytes.includes(`${running.runId}/params.json`))).not.toEqual([]);
  expect(
    shown.filter(({ at, bytes }) => at.endsWith('environ') && bytes.includes(running.runId)),
  ).not.toEqual([]);
  expect((await witness.post(`/api/runs/${waitingId}/cancel`, {})).status).toBe(200);
  await waiting;
  witness.heard.push(...own.events.map(({ id, text }) => said(`event ${id} of a run`, text)));
  await searched([running.runId, queued.runId]);

  // Runs that outlive their service, are lost with their executor, are stopped, or time out.
  await restart('SIGKILL');
  await searched([running.runId, queued.runId]);
  const executor = await executorPid(home);
  process.kill(executor, 'SIGKILL');
  await untilGone(executor);
  expect(await service.hob.ended(running.runId)).toMatchObject({ end_cause: 'lost' });
  await fileThere(scene.started(queued.runId));
  await searched([queued.runId]);
  expect((await witness.post(`/api/runs/${queued.runId}/cancel`, {})).status).toBe(200);
  expect(await service.hob.ended(queued.runId)).toMatchObject({ end_cause: 'cancelled' });
  expect((await execute(ids.slow, { token: secrets.next('over its time') }, now)).text).toContain(
    '"code":-2',
  );
  const kept = await execute(ids.holding, { token: secrets.next('kept over a restart') });
  await fileThere(scene.started(kept.runId));
  await restart('SIGTERM');
  await searched([kept.runId]);
  await scene.release();
  expect(await service.hob.ended(kept.runId)).toMatchObject({ state: 'succeeded' });

  // Once more, now that nothing runs.
  await witness.askForEverything(Object.values(ids));
  await until('the end of the last run is published', async () =>
    follower.events.some(({ type, data }) => type === 'run.ended' && data.run_id === kept.runId),
  );
  await searched();
  expect((await scene.tokens()).length).toBeGreaterThan(9);
  await follower.stop();
  await service.hob.stop();
  const left = await searched();

  // The same search finds a value that is not secret in its expected places.
  const control = new SecretSearch().add({ name: 'plain', value: plain });
  const seen = control.findIn(left).map((line) => line.split(': ')[0] ?? '');
  expect(seen.some((at) => at.startsWith(join(home, 'hob.db')))).toBe(true);
  expect(seen).toContain(`the answer 200 of /api/runs/${first.runId}`);
  const published = new SecretSearch().add({ name: 'message', value: 'done and told' }).findIn(left);
  expect(published.some((line) => /^event \d+ run\.ended/.test(line))).toBe(true);
  expect(published.some((line) => line.startsWith(`the answer 200 of /api/runs/${first.runId}/events`))).toBe(
    true,
  );
  const logged = new SecretSearch().add({ name: 'run', value: kept.runId }).findIn(left);
  expect(logged.some((line) => line.startsWith('the log: '))).toBe(true);
});

it('the token of a service is in its file and nowhere else, also when clients send it', async () => {
  const scene = await writeSecretiveScripts(new Secrets());
  const settings = 'log_level = "trace"\ntoken = true\n';
  const service = await startRestartable({ scripts: [scene.scripts], settings });
  const { home } = service.hob;
  const file = join(home, 'token');
  const witness = new Witness(() => service.hob.url);
  const search = new SecretSearch();
  const learn = async (name: string) => {
    const value = (await readFile(file, 'utf8')).trim();
    search.add({ name, value });
    return { authorization: `Bearer ${value}` };
  };
  const old = await learn('the token');
  const wrong = { authorization: `Bearer ${dressed().slice(0, 16)}` };
  search.add({ name: 'a wrong token', value: wrong.authorization.slice('Bearer '.length) });

  const body = { script_id: scene.ids.quiet, sync: true, params: {} };
  expect((await witness.post('/api/execute', body, old)).status).toBe(200);
  expect((await witness.post('/api/execute', body, wrong)).status).toBe(401);
  expect((await witness.post('/api/execute', '{', old)).status).toBe(400);
  expect((await witness.ask('/api/runs?token=x', { headers: old })).status).toBe(400);
  expect((await witness.post('/api/link', { script_id: scene.ids.quiet, params: {} }, old)).status).toBe(200);
  const session = await fetch(`${service.hob.url}/api/session`, { method: 'POST', headers: old });
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  search.add({ name: 'a session', value: cookie.split('.')[1] ?? '' });
  expect((await witness.ask('/api/scripts', { headers: { cookie } })).status).toBe(200);
  const renewed = await runCli(['token', '--renew', '--home', home]).ended;
  expect(renewed.stderr).not.toContain(renewed.stdout.trim());
  const current = await learn('the token that followed');
  expect((await witness.post('/api/execute', body, old)).status).toBe(401);
  const held = await witness.post('/api/execute', { script_id: scene.ids.holding, params: {} }, current);
  await fileThere(scene.started(held.runId));

  const trace = `TEST_TRACE=${await traceOf(service.hob.process.pid)}`;
  const places = [
    ...(await everythingIn(home)),
    ...(await whatProcessesShow(await processesWith(trace))),
    ...witness.heard,
    said('the log', service.hob.log()),
  ];
  expect(search.findIn(places, (at) => at === file)).toEqual([]);
  expect(search.findIn(places.filter(({ at }) => at === file))).not.toEqual([]);
  expect(service.hob.log()).toContain(witness.runIds[0]);
  await scene.release();
  await until('the run has ended', async () => service.hob.log().includes(held.runId));
});

/** The variable in the environment of a service and all its children. */
async function traceOf(pid: number | undefined): Promise<string> {
  const environ = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return /(?:^|\0)TEST_TRACE=([^\0]+)/.exec(environ)?.[1] ?? 'gone';
}
