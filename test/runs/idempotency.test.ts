import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';

import { type Answer, executorPid, type Hob, startHob, tempFolder } from '../support/hob.ts';
import { writeLedgerScript } from '../support/ledger-script.ts';
import { SeededRandom } from '../support/random.ts';
import { startRestartable } from '../support/restartable.ts';
import { patiently } from '../support/scale.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, linesOf, until } from '../support/until.ts';

const many = 200;

/** Requests a run with a key. */
const ask = (hob: Hob, key: string, body: Record<string, unknown>) =>
  hob.post('/api/execute', body, { 'idempotency-key': key });

const runIdOf = ({ headers }: Answer) => headers.get('x-hob-run-id') ?? '';
const isRepeat = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

async function setUp(settings = '') {
  const scripts = await tempFolder();
  const ledger = join(await tempFolder(), 'ledger');
  const script = await writeLedgerScript(scripts, ledger);
  const restartable = await startRestartable({ scripts: [scripts], settings });
  const begun = () => linesOf(ledger);
  const body = { script_id: script, params: { sleep: 0, code: 3 } };
  return { restartable, scripts, script, begun, body };
}

describe('requests with the same key and body', () => {
  it.each([false, true])('that arrive at once are one run with one answer: sync %s', async (sync) => {
    const { restartable, begun, body } = await setUp();
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: many }, () => ask(restartable.hob, key, { ...body, sync })),
    );
    const [first] = answers;
    expect(first?.body).toMatchObject(sync ? { success: false, exit_code: 3 } : { status: 'success' });
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: first?.body });
    expect(new Set(answers.map(runIdOf)).size).toBe(1);
    expect(answers.filter((answer) => !isRepeat(answer))).toHaveLength(1);
    const [runId = ''] = answers.map(runIdOf);
    await restartable.hob.ended(runId);
    expect(await begun()).toEqual([runId]);
  });

  it('that differ in sync are different: one kind gets the run, and the other is refused', async () => {
    const { restartable, begun, body } = await setUp();
    const answers = await Promise.all(
      Array.from({ length: many }, (_, index) =>
        ask(restartable.hob, 'mixed', { ...body, sync: index % 2 === 0 }),
      ),
    );
    const served = answers.filter(({ status }) => status === 200);
    expect(served).toHaveLength(many / 2);
    expect(new Set(served.map(runIdOf)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const [runId = ''] = served.map(runIdOf);
    await restartable.hob.ended(runId);
    expect(await begun()).toEqual([runId]);
  });

  it('get the run however the body is formatted, and those with another body get advice', async () => {
    const { restartable, script, body, begun } = await setUp();
    const { hob } = restartable;
    const first = await ask(hob, 'k', body);
    const same = `{"params":{"code":3,"sleep":0.0},"script_id":"${script.toUpperCase()}"}`;
    const again = await hob.post('/api/execute', same, { 'idempotency-key': 'k' });
    expect(again.body).toEqual(first.body);
    expect(isRepeat(again)).toBe(true);
    const other = await hob.post(
      '/api/execute',
      { ...body, params: { sleep: 0, code: 4 } },
      { 'idempotency-key': 'k', 'accept-language': 'en' },
    );
    expect(other.status).toBe(409);
    expect(other.headers.get('x-hob-error')).toBe('idempotency-key-reused');
    expect(other.body).toEqual({ status: 'error', message: expect.stringContaining('a new key') });
    const form = { script_id: script, params: '{"sleep":0,"code":3}' };
    expect((await hob.postForm('/api/execute', form, { 'idempotency-key': 'k' })).status).toBe(409);
    await hob.ended(runIdOf(first));
    expect(await begun()).toHaveLength(1);
  });

  it('are one run per script', async () => {
    const { restartable, scripts, body } = await setUp();
    const other = await writeScript(scripts, 'other');
    const { hob } = restartable;
    const [one, another] = [await ask(hob, 'k', body), await ask(hob, 'k', { script_id: other })];
    expect([one.status, another.status]).toEqual([200, 200]);
    expect(runIdOf(one)).not.toBe(runIdOf(another));
    for (const answer of [one, another]) await hob.ended(runIdOf(answer));
  });

  it('get the run also when the script is gone, and never run again after the run is deleted', async () => {
    const { restartable, scripts, body, begun } = await setUp();
    const { hob } = restartable;
    const first = await ask(hob, 'k', { ...body, sync: true });
    await rm(join(scripts, 'ledger'), { recursive: true });
    await until('the script is gone', async () => {
      const { status } = await hob.get(`/api/scripts/${body.script_id}`);
      return status === 404;
    });
    expect((await ask(hob, 'k', { ...body, sync: true })).body).toEqual(first.body);
    expect((await ask(hob, 'other', body)).status).toBe(404);
    await fetch(`${hob.url}/api/runs/${runIdOf(first)}`, { method: 'DELETE' });
    const gone = await ask(hob, 'k', { ...body, sync: true });
    expect([gone.status, gone.headers.get('x-hob-error')]).toEqual([410, 'idempotency-run-gone']);
    expect(await begun()).toHaveLength(1);
  });
});

describe('after a restart', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('by %s the answer is the same, byte for byte', async (signal) => {
    const scripts = await tempFolder();
    const script = await writeScript(scripts, 'talker', {
      language: 'python',
      entry: python(`
print("中文" * run["params"]["times"])
print("error", file=sys.stderr)
open(env["output_json"], "w", encoding="utf-8").write(
    '{ "code": 7,  "msg": "说完了", "id": 123456789012345678901234567890, "text": "' + "x" * run["params"]["times"] + '"}')
sys.exit(5)
`),
    });
    const restartable = await startRestartable({ scripts: [scripts] });
    // One result is small enough to be read directly, and the other is large enough for a worker thread.
    for (const times of [1, 400_000]) {
      const body = JSON.stringify({ script_id: script, sync: true, params: { times } });
      const raw = async () => {
        const headers = {
          'content-type': 'application/json',
          'idempotency-key': `key ${times}`.replace(' ', ''),
        };
        const answer = await fetch(`${restartable.hob.url}/api/execute`, { method: 'POST', headers, body });
        expect(answer.status).toBe(200);
        return { text: await answer.text(), replayed: answer.headers.get('idempotency-replayed') };
      };
      const first = await raw();
      expect(first.text).toContain('123456789012345678901234567890');
      expect(await raw()).toEqual({ ...first, replayed: 'true' });
      await restartable.restart(signal);
      expect(await raw()).toEqual({ ...first, replayed: 'true' });
    }
  });

  it('a caller can wait for a run that continued in the meantime', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const script = await writeScript(scripts, 'held', {
      entry: bash(
        `touch "${files}/begun"; until [ -e "${files}/go" ]; do sleep 0.02; done; echo done; exit 9`,
      ),
    });
    const restartable = await startRestartable({ scripts: [scripts], settings: 'heartbeat_s = 0.1\n' });
    const body = { script_id: script, sync: true };
    const cutOff = ask(restartable.hob, 'k', body).catch(() => 'cut off');
    await fileThere(join(files, 'begun'));
    await restartable.restart('SIGKILL');
    expect(await cutOff).toBe('cut off');
    const answers = [ask(restartable.hob, 'k', body), ask(restartable.hob, 'k', body)];
    await touch(join(files, 'go'));
    for (const answer of await Promise.all(answers)) {
      expect(answer.body).toMatchObject({ exit_code: 9, success: false, stdout: 'done\n' });
      expect(isRepeat(answer)).toBe(true);
    }
  });

  it('a queued run is started for the caller that can come back, and for no other', async () => {
    const { restartable, scripts, begun, body } = await setUp('max_runs = 1\n');
    const files = await tempFolder();
    const blocker = await writeScript(scripts, 'blocker', {
      entry: bash(`touch "${files}/begun"; until [ -e "${files}/go" ]; do sleep 0.02; done`),
    });
    await restartable.hob.post('/api/execute', { script_id: blocker });
    await fileThere(join(files, 'begun'));
    const cutOff = [ask(restartable.hob, 'k', { ...body, sync: true }), restartable.hob.run(body.script_id)];
    const settled = Promise.allSettled(cutOff);
    await until('both wait', async () => (await queuedOnRecord(restartable.hob.home, body.script_id)) === 2);
    await restartable.restart('SIGKILL');
    await settled;
    const answer = ask(restartable.hob, 'k', { ...body, sync: true });
    await touch(join(files, 'go'));
    expect((await answer).body).toMatchObject({ exit_code: 3 });
    expect(await begun()).toEqual([runIdOf(await answer)]);
  });

  it('a run that waits for an earlier run lends it its slot, so that they do not deadlock', async () => {
    const [scripts, files, home] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const lock = 'lock = "x"';
    const holder = await writeScript(scripts, 'holder', {
      runtime: lock,
      entry: bash(`touch "${files}/held"; until [ -e "${files}/go" ]; do sleep 0.02; done`),
    });
    const wanted = await writeScript(scripts, 'wanted', { runtime: lock, entry: bash('exit 5') });
    const caller = await writeScript(scripts, 'caller', {
      language: 'python',
      entry: python(`
import time
def insist():
    while True:
        try:
            request = urllib.request.Request(env["api_base"] + "/api/execute", json.dumps({"script_id": "${wanted}", "sync": True}).encode(),
                {"Content-Type": "application/json", "Idempotency-Key": "k"})
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except OSError:
            open("${files}/cut-off", "w").close()
            time.sleep(0.02)
write({"code": insist()["exit_code"], "msg": "done"})
`),
    });
    await writeFile(join(home, 'settings.toml'), 'max_runs = 2\n');
    const restartable = await startRestartable({ scripts: [scripts], home });
    await restartable.hob.post('/api/execute', { script_id: holder });
    await fileThere(join(files, 'held'));
    const calling = await restartable.hob.post('/api/execute', { script_id: caller });
    await until('it waits', async () => (await queuedOnRecord(home, wanted)) === 1);
    // The next service has fewer slots: the queued run can only get the slot of the run that waits for it.
    await restartable.restart('SIGKILL', () => writeFile(join(home, 'settings.toml'), 'max_runs = 1\n'));
    await fileThere(join(files, 'cut-off'));
    await touch(join(files, 'go'));
    expect(await restartable.hob.ended(runIdOf(calling))).toMatchObject({ result: { code: 5 } });
  });

  it('a run with an unknown end is reported as lost', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const script = await writeScript(scripts, 'held', {
      entry: bash(`echo before; touch "${files}/begun"; exec sleep 600`),
    });
    const restartable = await startRestartable({ scripts: [scripts] });
    const body = { script_id: script, sync: true };
    const cutOff = ask(restartable.hob, 'k', body).catch(() => 'cut off');
    await fileThere(join(files, 'begun'));
    const executor = await executorPid(restartable.hob.home);
    await restartable.restart('SIGKILL', async () => {
      process.kill(executor, 'SIGKILL');
    });
    await cutOff;
    const answer = await ask(restartable.hob, 'k', body);
    expect(answer.body).toMatchObject({
      exit_code: -1,
      success: false,
      timed_out: false,
      result: { code: -1 },
    });
    expect((await restartable.hob.get(`/api/runs/${runIdOf(answer)}`)).body.end_cause).toBe('lost');
  });

  it(
    'a client that retries until it is answered gets one run, whenever the service is killed',
    patiently,
    async () => {
      const { restartable, begun, body } = await setUp();
      const random = new SeededRandom();
      const runs: string[] = [];
      for (let round = 0; round < 4; round++) {
        const sync = round % 2 === 0;
        const params = { ...body.params, sleep: 0.05 };
        const insist = async (): Promise<Answer> => {
          for (;;) {
            try {
              const answer = await ask(restartable.hob, `round-${round}`, { ...body, params, sync });
              if (answer.status === 200) return answer;
            } catch {
              // The service was killed, and the next one is starting.
            }
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        };
        const answered = Promise.all([insist(), insist()]);
        await new Promise((resolve) => setTimeout(resolve, random.between(0, 120)));
        await restartable.restart('SIGKILL');
        const [one, other] = await answered;
        expect(runIdOf(one), `seed ${random.seed}`).toBe(runIdOf(other));
        runs.push(runIdOf(one));
        expect(await restartable.hob.ended(runIdOf(one))).toMatchObject({ end_cause: 'exit', exit_code: 3 });
      }
      expect((await begun()).sort()).toEqual(runs.sort());
      expect((await readdir(join(restartable.hob.home, 'runs'))).sort()).toEqual(runs);
    },
  );
});

describe('a key is free again', () => {
  it('when its run was refused before it started', async () => {
    const { restartable, scripts, begun, body } = await setUp('max_runs = 1\nqueue_wait_s = 0.2\n');
    const files = await tempFolder();
    const blocker = await writeScript(scripts, 'blocker', {
      entry: bash(`touch "${files}/begun"; until [ -e "${files}/go" ]; do sleep 0.02; done`),
    });
    const { hob } = restartable;
    const blocking = await hob.post('/api/execute', { script_id: blocker });
    await fileThere(join(files, 'begun'));
    const refused = await Promise.all(
      Array.from({ length: 5 }, () => ask(hob, 'k', { ...body, sync: true })),
    );
    for (const { status, headers } of refused) {
      expect([status, headers.get('x-hob-error')]).toEqual([503, 'queue-wait-exceeded']);
    }
    await touch(join(files, 'go'));
    await hob.ended(runIdOf(blocking));
    const answer = await ask(hob, 'k', { ...body, sync: true });
    expect(answer.body).toMatchObject({ exit_code: 3 });
    expect(isRepeat(answer)).toBe(false);
    expect(await begun()).toEqual([runIdOf(answer)]);
  });

  it('when its run was still queued as the service stopped', async () => {
    const { restartable, scripts, begun, body } = await setUp('max_runs = 1\n');
    const files = await tempFolder();
    const blocker = await writeScript(scripts, 'blocker', {
      entry: bash(`touch "${files}/begun"; until [ -e "${files}/go" ]; do sleep 0.02; done`),
    });
    await restartable.hob.post('/api/execute', { script_id: blocker });
    await fileThere(join(files, 'begun'));
    const refused = ask(restartable.hob, 'k', { ...body, sync: true });
    await until('it waits', async () => (await restartable.hob.get('/api/health')).body.queued === 1);
    await restartable.restart('SIGTERM', () => touch(join(files, 'go')));
    expect((await refused).headers.get('x-hob-error')).toBe('service-stopping');
    const answer = await ask(restartable.hob, 'k', { ...body, sync: true });
    expect(isRepeat(answer)).toBe(false);
    expect(await begun()).toEqual([runIdOf(answer)]);
  });

  it('when the request was invalid, or refused because a limit was reached', async () => {
    const { restartable, scripts, body } = await setUp();
    const { hob } = restartable;
    const strict = await writeScript(scripts, 'strict', {
      tables: '[[service.params]]\nname = "n"\ntype = "int"\nrequired = true',
    });
    expect((await ask(hob, 'k', { script_id: strict })).status).toBe(400);
    expect((await ask(hob, 'k', { script_id: strict, params: { n: 1 } })).status).toBe(200);
    expect((await ask(hob, 'k', { ...body, temp_file: '/nowhere/at/all' })).status).toBe(404);
    expect((await ask(hob, 'k', { ...body, sync: true })).status).toBe(200);
  });
});

describe('a key', () => {
  it('is not stored in the database, nor is anything that reveals a secret', async () => {
    const { restartable, scripts } = await setUp();
    const script = await writeScript(scripts, 'secretive', {
      tables: '[[service.params]]\nname = "token"\ntype = "str"\nsecret = true',
    });
    const [key, secret] = ['key-that-nobody-may-find', 'secret-that-nobody-may-find'];
    const body = { script_id: script, sync: true, params: { token: secret } };
    expect((await ask(restartable.hob, key, body)).status).toBe(200);
    expect((await ask(restartable.hob, key, { ...body, params: { token: 'wrong' } })).status).toBe(409);
    const { home } = restartable.hob;
    await restartable.hob.stop();
    for (const name of await readdir(home)) {
      if (!name.startsWith('hob.db')) continue;
      const bytes = await readFile(join(home, name));
      expect([name, bytes.includes(key), bytes.includes(secret)]).toEqual([name, false, false]);
    }
    expect(restartable.hob.log()).not.toContain(secret);
    expect(restartable.hob.log()).not.toContain(key);
  });

  it('is refused if it is invalid, and if there are two', async () => {
    const { restartable, body } = await setUp();
    const { hob } = restartable;
    for (const key of ['', 'x'.repeat(256), 'two words', 'ü']) {
      const { status, headers } = await ask(hob, key, body);
      expect([key, status, headers.get('x-hob-error')]).toEqual([key, 400, 'idempotency-key-invalid']);
    }
    const twice = await send(hob, body, ['a', 'a']);
    expect(await twice.answer).toEqual({ status: 400, error: 'idempotency-key-invalid' });
    // Without a script, the key is not checked.
    expect((await ask(hob, 'two words', {})).headers.get('x-hob-error')).toBe('script-id-missing');
  });

  it('has no effect on link', async () => {
    const scripts = await tempFolder();
    const node = await writeScript(scripts, 'node', { node: true });
    const hob = await startHob({ scripts: [scripts] });
    const link = () => hob.post('/api/link', { script_id: node }, { 'idempotency-key': 'k' });
    const [one, other] = [await link(), await link()];
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(runIdOf(one)).not.toBe(runIdOf(other));
  });
});

it("a service that stops asks callers that wait for an earlier service's run to come back", async () => {
  const scripts = await tempFolder();
  const files = await tempFolder();
  const script = await writeScript(scripts, 'held', {
    entry: bash(`touch "${files}/begun"; until [ -e "${files}/go" ]; do sleep 0.02; done; exit 4`),
  });
  const restartable = await startRestartable({ scripts: [scripts] });
  const body = { script_id: script, sync: true };
  const cutOff = ask(restartable.hob, 'k', body).catch(() => 'cut off');
  await fileThere(join(files, 'begun'));
  await restartable.restart('SIGKILL');
  await cutOff;
  const waiting = await send(restartable.hob, body, 'k');
  // Requests are answered in order, so the previous one has been accepted.
  await restartable.hob.get('/api/health');
  await restartable.restart('SIGTERM');
  expect(await waiting.answer).toEqual({ status: 503, error: 'service-stopping' });
  const answer = ask(restartable.hob, 'k', body);
  await touch(join(files, 'go'));
  expect((await answer).body).toMatchObject({ exit_code: 4 });
});

async function touch(path: string): Promise<void> {
  await writeFile(path, '');
}

/** How many runs of a script are recorded as queued. A run is counted as queued a moment before it is recorded. */
async function queuedOnRecord(home: string, scriptId: string): Promise<number> {
  const database = new DatabaseSync(join(home, 'hob.db'), { readOnly: true });
  try {
    const count = database.prepare(
      `SELECT count(*) AS count FROM runs WHERE state = 'queued' AND script_id = ?`,
    );
    return Number(count.get(scriptId)?.count);
  } finally {
    database.close();
  }
}

/** Sends a request over a raw connection, and resolves once it is sent, with a promise of the answer. */
function send(
  hob: Hob,
  body: unknown,
  key: string | string[],
): Promise<{ answer: Promise<{ status: number | undefined; error: unknown }> }> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const call = request(`${hob.url}/api/execute`, { method: 'POST', headers });
  const answer = new Promise<{ status: number | undefined; error: unknown }>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      response.resume();
      response.once('end', () =>
        resolve({ status: response.statusCode, error: response.headers['x-hob-error'] }),
      );
    });
  });
  return new Promise((resolve) => {
    call.once('finish', () => resolve({ answer }));
    call.end(JSON.stringify(body));
  });
}
