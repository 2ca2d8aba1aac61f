import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Hob, isRunning, launchHob, startHob, tempFolder, untilGone } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { fileThere } from '../support/until.ts';

const quickStop = 'stop_grace_s = 1\n';

async function pidIn(path: string): Promise<number> {
  await fileThere(path);
  return Number(await readFile(path, 'utf8'));
}

/** A script that writes its process id, and then keeps running. */
const sleeper = (files: string, name: string) =>
  bash(`echo $$ > "${files}/${name}.new"; mv "${files}/${name}.new" "${files}/${name}"; exec sleep 600`);

const cancel = (hob: Hob, runId: string) => hob.post(`/api/runs/${runId}/cancel`, {});

const service = shareService(quickStop);

describe('cancelling a run', () => {
  it('stops its script, and the record and the waiting caller get this end', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'patient', { entry: sleeper(files, 'pid') });
    const hob = await startHob({ scripts: [scripts], settings: quickStop });
    const answer = hob.run(id);
    const pid = await pidIn(join(files, 'pid'));
    const [runId = ''] = await runIdsOf(hob);
    expect(await cancel(hob, runId)).toMatchObject({
      status: 200,
      body: { status: 'success', run_id: runId },
    });
    expect((await answer).body).toMatchObject({
      success: false,
      timed_out: false,
      exit_code: 143,
      result: { code: -1 },
    });
    expect(await hob.ended(runId)).toMatchObject({
      state: 'failed',
      end_cause: 'cancelled',
      left_running: 0,
    });
    expect(await isRunning(pid)).toBe(false);
  });

  it('answers in the language of the caller, and so do rerunning and deleting a run', async () => {
    const files = await tempFolder();
    const id = await service.add('patient', { entry: sleeper(files, 'pid') });
    const { hob } = service;
    for (const [language, texts] of [
      ['en', ['The run is being stopped', 'The run was accepted', 'The run was deleted']],
      ['zh-CN', ['正在停止运行', '运行请求已接收', '运行已删除']],
    ] as const) {
      const headers = { 'accept-language': language };
      const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
      const cancelled = await hob.post(`/api/runs/${runId}/cancel`, {}, headers);
      await hob.ended(runId);
      const again = await hob.post(`/api/runs/${runId}/rerun`, {}, headers);
      const deleted = await fetch(`${hob.url}/api/runs/${runId}`, { method: 'DELETE', headers });
      const { message } = (await deleted.json()) as { message: string };
      expect([cancelled.body.message, again.body.message, message]).toEqual(texts);
      await cancel(hob, String(again.body.run_id));
      await hob.ended(String(again.body.run_id));
    }
  });

  it('that is queued removes it from the queue, and it never starts', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const first = await writeScript(scripts, 'first', { entry: sleeper(files, 'first') });
    const second = await writeScript(scripts, 'second', { entry: bash(`touch "${files}/second"`) });
    const hob = await startHob({ scripts: [scripts], settings: `max_runs = 1\n${quickStop}` });
    const running = String((await hob.post('/api/execute', { script_id: first })).body.run_id);
    await fileThere(join(files, 'first'));
    const waiting = String((await hob.post('/api/execute', { script_id: second })).body.run_id);
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 1, queued: 1 });
    expect((await cancel(hob, waiting)).status).toBe(200);
    expect(await hob.ended(waiting)).toMatchObject({
      state: 'failed',
      end_cause: 'cancelled',
      started_at: null,
    });
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 1, queued: 0 });
    await cancel(hob, running);
    await hob.ended(running);
    await expect(readFile(join(files, 'second'))).rejects.toThrow('ENOENT');
  });

  it('is not undone when the service is killed before it has recorded the end', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const first = await writeScript(scripts, 'first', { entry: sleeper(files, 'first') });
    const second = await writeScript(scripts, 'second', { entry: bash(`touch "${files}/second"`) });
    const settings = `max_runs = 1\n${quickStop}`;
    const home = await tempFolder();
    const killed = await launchHob({ home, scripts: [scripts], settings });
    const running = String((await killed.post('/api/execute', { script_id: first })).body.run_id);
    await fileThere(join(files, 'first'));
    const waiting = String((await killed.post('/api/execute', { script_id: second })).body.run_id);
    await killed.stop('SIGKILL');
    // The parameter file is removed first, before the end is recorded.
    await rm(join(home, 'runs', waiting, 'params.json'));
    const hob = await startHob({ home, scripts: [scripts], settings });
    expect(await hob.ended(waiting)).toMatchObject({ end_cause: 'cancelled', started_at: null });
    await cancel(hob, running);
    await hob.ended(running);
    await expect(readFile(join(files, 'second'))).rejects.toThrow('ENOENT');
  });

  it('answers a caller that waits in the queue with the outcome of a cancelled run', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const first = await writeScript(scripts, 'first', { entry: sleeper(files, 'first') });
    const second = await writeScript(scripts, 'second', { runtime: 'concurrency = 1' });
    const hob = await startHob({ scripts: [scripts], settings: `max_runs = 1\n${quickStop}` });
    const running = String((await hob.post('/api/execute', { script_id: first })).body.run_id);
    await fileThere(join(files, 'first'));
    const answer = hob.run(second);
    const waiting = await runOf(hob, 'second');
    await cancel(hob, waiting);
    expect(await answer).toMatchObject({ status: 200, body: { success: false, exit_code: -1 } });
    await cancel(hob, running);
    await hob.ended(running);
  });

  it('also cancels every run in its tree that it waits for, running or queued', async () => {
    const files = await tempFolder();
    const leaf = await service.add('leaf', { node: true, entry: sleeper(files, 'leaf') });
    const held = await service.add('held', { node: true, runtime: 'lock = "x"' });
    const locker = await service.add('locker', {
      runtime: 'lock = "x"',
      entry: sleeper(files, 'locker'),
    });
    const middle = await service.add('middle', {
      language: 'python',
      node: true,
      entry: python(`
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    list(pool.map(lambda id: call("/api/link", {"script_id": id}), ["${leaf}", "${held}"]))
`),
    });
    const loose = await service.add('loose', { entry: sleeper(files, 'loose') });
    const top = await service.add('top', {
      language: 'python',
      entry: python(`
call("/api/execute", {"script_id": "${loose}"})
call("/api/link", {"script_id": "${middle}"})
`),
    });
    const { hob } = service;
    const locking = String((await hob.post('/api/execute', { script_id: locker })).body.run_id);
    await fileThere(join(files, 'locker'));
    const root = String((await hob.post('/api/execute', { script_id: top })).body.run_id);
    const leafPid = await pidIn(join(files, 'leaf'));
    await fileThere(join(files, 'loose'));
    const runs: Record<string, string> = {};
    for (const name of ['top', 'middle', 'leaf', 'held', 'loose']) runs[name] = await runOf(hob, name);
    const named = (name: string) => runs[name] ?? '';
    await cancel(hob, root);
    for (const name of ['top', 'middle', 'leaf', 'held']) {
      expect([name, (await hob.ended(named(name))).end_cause]).toEqual([name, 'cancelled']);
    }
    expect(await isRunning(leafPid)).toBe(false);
    // No run waits for an asynchronous run, so it continues.
    expect(await isRunning(await pidIn(join(files, 'loose')))).toBe(true);
    for (const runId of [locking, named('loose')]) {
      await cancel(hob, runId);
      await hob.ended(runId);
    }
  });

  it('prevents it from starting further runs to wait for during its grace period', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const leaf = await writeScript(scripts, 'leaf', { node: true, entry: bash(`touch "${files}/leaf"`) });
    const top = await writeScript(scripts, 'top', {
      language: 'python',
      entry: python(`
import signal, time
def more(*_):
    status, answer = call("/api/link", {"script_id": "${leaf}"})
    write({"code": status, "msg": answer["message"]})
    sys.exit(0)
signal.signal(signal.SIGTERM, more)
open("${files}/ready", "w").close()
while True: time.sleep(1)
`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'stop_grace_s = 20\n' });
    const runId = String((await hob.post('/api/execute', { script_id: top })).body.run_id);
    await fileThere(join(files, 'ready'));
    await cancel(hob, runId);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'cancelled', result: { code: 409 } });
    await expect(readFile(join(files, 'leaf'))).rejects.toThrow('ENOENT');
  });

  it('finds processes that leave the session when they are asked to end', async () => {
    const files = await tempFolder();
    const id = await service.add('runaway', {
      language: 'python',
      entry: python(`
import signal, time
def away(*_):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open("${files}/pid", "w").write(str(os.getpid()))
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        os._exit(0)
    os._exit(0)
signal.signal(signal.SIGTERM, away)
open("${files}/ready", "w").close()
while True: time.sleep(1)
`),
    });
    const { hob } = service;
    const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    await fileThere(join(files, 'ready'));
    await cancel(hob, runId);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'cancelled', left_running: 0 });
    // The process may have been killed before it wrote its id.
    const pid = Number(await readFile(join(files, 'pid'), 'utf8').catch(() => '0'));
    expect(await isRunning(pid)).toBe(false);
  });

  it('that has ended gets 409, and one that never existed gets 404', async () => {
    const id = await service.add('quick', {});
    const { hob } = service;
    const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    await hob.ended(runId);
    expect(await cancel(hob, runId)).toMatchObject({ status: 409, body: { code: 'run-ended' } });
    expect(await cancel(hob, '5f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11')).toMatchObject({
      status: 404,
      body: { code: 'run-unknown' },
    });
  });

  it('at any moment of its life gives it exactly one end', async () => {
    const id = await service.add('short', { entry: bash('sleep 0.05') });
    const { hob } = service;
    const moments = Array.from({ length: 24 }, (_, index) => index * 6);
    const ends = await Promise.all(
      moments.map(async (ms) => {
        const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
        await new Promise((resolve) => setTimeout(resolve, ms));
        const { status } = await cancel(hob, runId);
        const record = await hob.ended(runId);
        return { status, cause: record.end_cause, state: record.state };
      }),
    );
    for (const { status, cause, state } of ends) {
      if (status === 409) expect([cause, state]).toEqual(['exit', 'succeeded']);
      else
        expect([
          ['cancelled', 'failed'],
          ['exit', 'succeeded'],
        ]).toContainEqual([cause, state]);
    }
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
  });

  it('works for a run that an earlier service started', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const leaf = await writeScript(scripts, 'leaf', { node: true, entry: sleeper(files, 'leaf') });
    const top = await writeScript(scripts, 'top', {
      language: 'python',
      entry: python(`
try: call("/api/link", {"script_id": "${leaf}"})
except Exception: pass
import time; time.sleep(600)
`),
    });
    const first = await startHob({ scripts: [scripts], settings: quickStop });
    const root = String((await first.post('/api/execute', { script_id: top })).body.run_id);
    const leafPid = await pidIn(join(files, 'leaf'));
    const runIds = await runIdsOf(first);
    await first.stop('SIGKILL');
    const second = await startHob({ home: first.home, scripts: [scripts] });
    expect((await second.get('/api/health')).body).toMatchObject({ running: 2 });
    expect((await cancel(second, root)).status).toBe(200);
    for (const runId of runIds) expect((await second.ended(runId)).end_cause).toBe('cancelled');
    expect(await isRunning(leafPid)).toBe(false);
  });
});

describe('a run that times out', () => {
  it('also stops the runs that it waits for, before its own grace period is over', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const leaf = await writeScript(scripts, 'leaf', { node: true, entry: sleeper(files, 'leaf') });
    const top = await writeScript(scripts, 'top', {
      language: 'python',
      runtime: 'timeout = 1.5',
      entry: python(`
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
status, answer = call("/api/link", {"script_id": "${leaf}"})
write({"code": 7, "msg": answer["message"]})
`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'stop_grace_s = 20\n' });
    const { body } = await hob.run(top);
    // The parent saw the end of its child and wrote its own result within its grace period.
    expect(body).toMatchObject({ timed_out: true, exit_code: 0, result: { code: 7 } });
    await untilGone(await pidIn(join(files, 'leaf')));
  });
});

describe('processes that a script leaves running', () => {
  it('continue and are counted, however they were started', async () => {
    const files = await tempFolder();
    const id = await service.add('starter', {
      entry: bash(`
sleep 600 & echo $! > "${files}/plain"
setsid sleep 601 < /dev/null > /dev/null 2>&1 & echo $! > "${files}/setsid"
`),
    });
    const { hob } = service;
    const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    const record = await counted(hob, runId);
    expect(record).toMatchObject({ state: 'succeeded', left_running: 2 });
    for (const name of ['plain', 'setsid']) process.kill(await pidIn(join(files, name)), 'SIGKILL');
  });

  it('are usually none, and the record says so', async () => {
    const id = await service.add('tidy', {});
    const { hob } = service;
    const { headers } = await hob.run(id);
    expect(await counted(hob, String(headers.get('x-hob-run-id')))).toMatchObject({ left_running: 0 });
  });

  it('are counted although each left its parent before the script ended', async () => {
    const files = await tempFolder();
    const id = await service.add('doubly', {
      entry: bash(`
(setsid sh -c 'echo $$ > "${files}/inner"; exec sleep 600' < /dev/null > /dev/null 2>&1 &)
while [ ! -s "${files}/inner" ]; do sleep 0.01; done
`),
    });
    const { hob } = service;
    const { headers } = await hob.run(id);
    const record = await counted(hob, String(headers.get('x-hob-run-id')));
    expect(record).toMatchObject({ state: 'succeeded', left_running: 1 });
    process.kill(await pidIn(join(files, 'inner')), 'SIGKILL');
  });

  it('are stopped before the answer if the manifest says so', async () => {
    const files = await tempFolder();
    const id = await service.add('stopper', {
      runtime: 'survivors = "stop"',
      entry: bash(`
sleep 600 & echo $! > "${files}/plain"
setsid sh -c 'trap "" TERM; echo $$ > "${files}/setsid"; while :; do sleep 1; done' < /dev/null > /dev/null 2>&1 &
while [ ! -s "${files}/setsid" ]; do sleep 0.01; done
exit 3
`),
    });
    const { hob } = service;
    const { body, headers } = await hob.run(id);
    expect(body).toMatchObject({ exit_code: 3 });
    for (const name of ['plain', 'setsid']) {
      expect([name, await isRunning(await pidIn(join(files, name)))]).toEqual([name, false]);
    }
    const { body: record } = await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`);
    expect(record).toMatchObject({ end_cause: 'exit', left_running: 0 });
  });
});

/** The runs of a home, oldest first, by their folders. */
async function runIdsOf(hob: Hob): Promise<string[]> {
  return readdir(join(hob.home, 'runs'));
}

/** The run of a script, as soon as it is recorded. */
async function runOf(hob: Hob, scriptName: string): Promise<string> {
  for (;;) {
    for (const runId of await runIdsOf(hob)) {
      const { body } = await hob.get(`/api/runs/${runId}`);
      if (body.script_name === scriptName) return runId;
    }
  }
}

async function counted(hob: Hob, runId: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await hob.get(`/api/runs/${runId}`);
    if (body.left_running !== null) return body;
  }
}
