import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import {
  executorPid,
  isRunning,
  launchHob,
  noted,
  runCli,
  startHob,
  tempFolder,
  untilGone,
} from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';

describe('hob serve', () => {
  it('prints one line to stdout when it is ready, and writes service.json', async () => {
    const home = await tempFolder();
    const { child, ended } = runCli(['serve', '--home', home, '--port', '0']);
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (chunk) => resolve(String(chunk))),
    );
    const url = /^Hob is listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(line)?.[1] ?? '';
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    const service = JSON.parse(await readFile(join(home, 'service.json'), 'utf8'));
    expect(service).toMatchObject({ pid: child.pid, url, token: false, version: expect.any(String) });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stdout: line });
    await expect(stat(join(home, 'service.json'))).rejects.toThrow('ENOENT');
  });

  it('answers on IPv4 and IPv6, under both names', async () => {
    const hob = await startHob();
    const { port } = new URL(hob.url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect((await fetch(`http://${host}:${port}/api/health`)).status).toBe(200);
    }
  });

  it('refuses a second service on the same home, with advice', async () => {
    const hob = await startHob();
    const { ended } = runCli(['serve', '--home', hob.home, '--port', '0']);
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(String(hob.process.pid));
    expect(stderr).toContain('hob stop');
    expect(stderr).toContain('--home');
    expect((await hob.get('/api/health')).status).toBe(200);
  });

  it.each(['127.0.0.1', '::1'])('refuses a port that is in use on %s, with advice', async (host) => {
    const taken = createServer().listen(0, host);
    onTestFinished(() => {
      taken.close();
    });
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { ended } = runCli(['serve', '--home', await tempFolder(), '--port', String(port)]);
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain(String(port));
    expect(stderr).toContain('--port');
  });

  it('uses its last port again if any port will do', async () => {
    const home = await tempFolder();
    const first = await launchHob({ home });
    await first.stop();
    const second = await launchHob({ home });
    await second.stop();
    expect(second.url).toBe(first.url);
  });

  it('reports every problem with its settings at once', async () => {
    const home = await tempFolder();
    await writeFile(join(home, 'settings.toml'), 'port = 99999\ncolour = "red"\nmax_runs = 0\n');
    const { ended } = runCli(['serve', '--home', home, '--log-level', 'loud', '--host', '0.0.0.0'], {
      HOB_DRAIN_S: 'soon',
    });
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    for (const word of ['port', 'colour', 'max_runs', '--log-level', '0.0.0.0', 'HOB_DRAIN_S'])
      expect(stderr).toContain(word);
  });

  it('reads settings from the file, the environment and flags, each overriding the previous', async () => {
    const home = await tempFolder();
    await writeFile(join(home, 'settings.toml'), 'log_level = "silent"\n');
    const quiet = await launchHob({ home });
    await quiet.stop();
    expect(quiet.log()).toBe('');
    const loud = await launchHob({ home, env: { HOB_LOG_LEVEL: 'info' } });
    await loud.stop();
    expect(loud.log()).toContain('"msg":"ready"');
    const flagged = await launchHob({
      home,
      env: { HOB_LOG_LEVEL: 'info' },
      args: ['--log-level', 'silent'],
    });
    await flagged.stop();
    expect(flagged.log()).toBe('');
  });

  it('makes everything it writes private to its user', async () => {
    const hob = await startHob();
    for (const [name, mode] of [
      ['', 0o700],
      ['hob.db', 0o600],
      ['service.json', 0o600],
      ['runs', 0o700],
      ['executor', 0o700],
    ] as const) {
      expect([name, (await stat(join(hob.home, name))).mode & 0o777]).toEqual([name, mode]);
    }
    for (const name of await readdir(join(hob.home, 'executor'))) {
      expect([name, (await stat(join(hob.home, 'executor', name))).mode & 0o077]).toEqual([name, 0]);
    }
  });

  it('refuses a database of a newer Hob', async () => {
    const home = await tempFolder();
    const hob = await launchHob({ home });
    await hob.stop();
    const { DatabaseSync } = await import('@photostructure/sqlite');
    const database = new DatabaseSync(join(home, 'hob.db'));
    database.exec('PRAGMA user_version = 1000');
    database.close();
    const { code, stderr } = await runCli(['serve', '--home', home, '--port', '0']).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('newer');
  });
});

describe('stopping', () => {
  it('by `hob stop` ends the service and an executor without runs', async () => {
    const hob = await startHob();
    const executor = await executorPid(hob.home);
    const { code, stdout } = await runCli(['stop', '--home', hob.home]).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('stopped');
    expect(await hob.stop()).toBe(0);
    await untilGone(executor);
  });

  it('says what continues, and what to do about it, if only the service has stopped', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'slow', { entry: bash(`touch "${files}/up"; exec sleep 600`) });
    const first = await startHob({ scripts: [scripts] });
    await first.post('/api/execute', { script_id: id });
    await fileThere(join(files, 'up'));
    const stopped = await runCli(['stop', '--home', first.home]).ended;
    expect(stopped.stdout).toContain('Running scripts continue.');
    const again = await runCli(['stop', '--all', '--home', first.home]).ended;
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('start Hob again')]);
    await startHob({ home: first.home, scripts: [scripts] });
    const last = await runCli(['stop', '--all', '--home', first.home]).ended;
    expect(last.stdout).toContain('Stopping Hob and 1 running script ...');
  });

  it('without a running service is no error', async () => {
    const home = await tempFolder();
    const { code, stdout } = await runCli(['stop', '--home', home]).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Hob is not running (home: ${home}).\n` });
  });

  it('waits for synchronous callers, and accepts no new work', async () => {
    const scripts = await tempFolder();
    const go = join(await tempFolder(), 'go');
    const started = join(await tempFolder(), 'started');
    const id = await writeScript(scripts, 'slow', {
      entry: bash(
        `touch "${started}"; while [ -d "$(dirname "${go}")" ] && [ ! -e "${go}" ]; do sleep 0.02; done; echo '{"code":0,"msg":"answered"}' > "$output"`,
      ),
    });
    const hob = await startHob({ scripts: [scripts] });
    const waiting = hob.run(id);
    await fileThere(started);
    hob.process.kill('SIGTERM');
    for (;;) {
      // New work is accepted until the signal has arrived. Each such run waits for the same file.
      const late = await fetch(`${hob.url}/api/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ script_id: id }),
      });
      if (late.status === 503) {
        expect(late.headers.get('x-hob-error')).toBe('service-stopping');
        break;
      }
    }
    await writeFile(go, '');
    expect((await waiting).body.message).toBe('answered');
    expect(await hob.stop()).toBe(0);
  });

  it('refuses queued callers immediately, and lets a run with a waiting caller link until its end', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const leaf = await writeScript(scripts, 'leaf', {
      node: true,
      entry: bash('echo \'{"code":0,"msg":"leaf"}\' > "$output"'),
    });
    const id = await writeScript(scripts, 'linking', {
      language: 'python',
      runtime: 'concurrency = 1',
      entry: python(`
import time
open("${files}/started", "w").close()
while os.path.exists("${files}") and not os.path.exists("${files}/go"): time.sleep(0.01)
write({"code": 0, "msg": call("/api/link", {"script_id": "${leaf}"})[1]["message"]})
`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'drain_s = 60\n' });
    const first = hob.run(id);
    await fileThere(join(files, 'started'));
    const second = hob.run(id);
    while ((await hob.get('/api/health')).body.queued !== 1);
    hob.process.kill('SIGTERM');
    expect((await second).headers.get('x-hob-error')).toBe('service-stopping');
    await writeFile(join(files, 'go'), '');
    expect((await first).body).toMatchObject({ success: true, message: 'leaf' });
  });

  it('happens immediately at the second signal', async () => {
    const scripts = await tempFolder();
    const pidFile = join(await tempFolder(), 'pid');
    const id = await writeScript(scripts, 'slow', { entry: bash(`echo $$ > "${pidFile}"; exec sleep 600`) });
    const hob = await startHob({ scripts: [scripts], settings: 'drain_s = 600\n' });
    const waiting = hob.run(id).catch(() => 'cut off');
    await fileThere(pidFile);
    hob.process.kill('SIGTERM');
    await new Promise<void>((resolve) => {
      hob.process.stderr?.on('data', () => hob.log().includes('"msg":"stopping') && resolve());
      if (hob.log().includes('"msg":"stopping')) resolve();
    });
    hob.process.kill('SIGTERM');
    expect(await hob.stop()).toBe(0);
    expect(await waiting).toBe('cut off');
    process.kill(Number(await readFile(pidFile, 'utf8')));
  });
});

describe('stopping everything', () => {
  it.each([
    ['by `hob stop --all`', ['--all'], ''],
    ['by the setting on_stop', [], 'on_stop = "stop"\n'],
  ])('%s ends running and queued runs, and records it', async (_how, flags, settings) => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'slow', {
      entry: bash(`trap '' TERM; echo $$ > "${files}/pid"; while :; do sleep 1; done`),
    });
    const home = await tempFolder();
    const hob = await launchHob({
      home,
      scripts: [scripts],
      settings: `max_runs = 1\nstop_grace_s = 0.5\n${settings}`,
    });
    const running = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    const waiting = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    await fileThere(join(files, 'pid'));
    const executor = await executorPid(home);
    const { code, stdout } = await runCli(['stop', '--home', home, ...flags]).ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('Hob has stopped.')]);
    expect(await hob.stop()).toBe(0);
    expect(await isRunning(Number(await readFile(join(files, 'pid'), 'utf8')))).toBe(false);
    await untilGone(executor);
    const next = await startHob({ home, scripts: [scripts] });
    expect((await next.get(`/api/runs/${running}`)).body).toMatchObject({
      state: 'failed',
      end_cause: 'shutdown',
      exit_code: 137,
      left_running: 0,
    });
    expect((await next.get(`/api/runs/${waiting}`)).body).toMatchObject({
      state: 'failed',
      end_cause: 'shutdown',
      started_at: null,
    });
  });

  it('still answers waiting callers within the drain time, and then stops their runs too', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const quick = await writeScript(scripts, 'quick', {
      entry: bash(`touch "${files}/quick"; sleep 0.5; echo done`),
    });
    const slow = await writeScript(scripts, 'slow', { entry: bash(`touch "${files}/slow"; exec sleep 600`) });
    const hob = await startHob({ scripts: [scripts], settings: 'drain_s = 2\n' });
    const answers = Promise.all([hob.run(quick), hob.run(slow)]);
    await fileThere(join(files, 'quick'));
    await fileThere(join(files, 'slow'));
    await runCli(['stop', '--all', '--home', hob.home]).ended;
    const [first, second] = await answers;
    expect(first.body).toMatchObject({ success: true, stdout: 'done\n' });
    expect(second.body).toMatchObject({ success: false, exit_code: 143, result: { code: -1 } });
  });
});

describe('stopping more than was requested first', () => {
  it('ends the runs when `hob stop --all` comes while the service waits for a caller', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const waited = await writeScript(scripts, 'waited', {
      entry: bash(
        `touch "${files}/waited"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.02; done`,
      ),
    });
    const loose = await writeScript(scripts, 'loose', {
      entry: bash(`echo $$ > "${files}/loose"; exec sleep 600`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'drain_s = 30\n' });
    const answer = hob.run(waited);
    const { body } = await hob.post('/api/execute', { script_id: loose });
    await fileThere(join(files, 'waited'));
    await fileThere(join(files, 'loose'));
    const first = runCli(['stop', '--home', hob.home]).ended;
    await until('the service is stopping', async () => hob.log().includes('stopping:'));
    const second = runCli(['stop', '--all', '--home', hob.home]).ended;
    await untilGone(Number(await readFile(join(files, 'loose'), 'utf8')));
    await writeFile(join(files, 'go'), '');
    expect((await answer).body).toMatchObject({ success: true });
    await Promise.all([first, second]);
    const next = await startHob({ home: hob.home, scripts: [scripts] });
    expect((await next.get(`/api/runs/${body.run_id}`)).body).toMatchObject({ end_cause: 'shutdown' });
  });
});

describe('the folder of a run that a killed service never accepted', () => {
  it('is removed at the next start, with all secrets', async () => {
    const home = await tempFolder();
    const stray = join(home, 'runs', '6f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11');
    await mkdir(stray, { recursive: true });
    await writeFile(join(stray, 'params.json'), '{"params":{"password":"secret"}}');
    await mkdir(join(home, 'runs', 'not of ours'));
    await startHob({ home });
    const left = () => readdir(join(home, 'runs'));
    await until('the stray is gone', async () => (await left()).length === 1);
    expect(await left()).toEqual(['not of ours']);
  });
});

describe('after the service was killed', () => {
  it('its runs continue, and the next service records their true exit codes', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const script = (code: number) =>
      bash(
        `touch "${files}/started-${code}"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.02; done; echo run >> "${files}/ledger"; exit ${code}`,
      );
    const seven = await writeScript(scripts, 'seven', { entry: script(7) });
    const zero = await writeScript(scripts, 'zero', { entry: script(0) });
    const home = await tempFolder();
    const first = await launchHob({ home, scripts: [scripts] });
    const runs = [
      await first.post('/api/execute', { script_id: seven }),
      await first.post('/api/execute', { script_id: zero }),
    ];
    const sync = first.run(zero).catch(() => 'cut off');
    await fileThere(join(files, 'started-7'));
    await fileThere(join(files, 'started-0'));
    const executor = await executorPid(home);
    await first.stop('SIGKILL');
    expect(await sync).toBe('cut off');
    expect(await isRunning(executor)).toBe(true);

    const second = await launchHob({ home, scripts: [scripts] });
    onTestFinished(async () => {
      await second.stop();
    });
    await writeFile(join(files, 'go'), '');
    const records = await Promise.all(runs.map((run) => second.ended(String(run.body.run_id))));
    expect(records.map(({ state, end_cause, exit_code }) => ({ state, end_cause, exit_code }))).toEqual([
      { state: 'failed', end_cause: 'exit', exit_code: 7 },
      { state: 'succeeded', end_cause: 'exit', exit_code: 0 },
    ]);
    expect((await readFile(join(files, 'ledger'), 'utf8')).match(/run/g)?.length).toBeGreaterThanOrEqual(2);
    expect(await executorPid(home)).toBe(executor);
  });

  it('the next service starts a queued run', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'one-at-a-time', {
      runtime: 'concurrency = 1',
      entry: bash(
        `echo run >> "${files}/begun"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.02; done; echo run >> "${files}/ledger"`,
      ),
    });
    const home = await tempFolder();
    const first = await launchHob({ home, scripts: [scripts] });
    const runs = [
      await first.post('/api/execute', { script_id: id }),
      await first.post('/api/execute', { script_id: id }),
    ];
    await fileThere(join(files, 'begun'));
    await first.stop('SIGKILL');
    const second = await launchHob({ home, scripts: [scripts] });
    onTestFinished(async () => {
      await second.stop();
    });
    // The run that continues also takes a slot in the new service.
    expect((await second.get('/api/health')).body).toMatchObject({ running: 1, queued: 1 });
    expect(await readFile(join(files, 'begun'), 'utf8')).toBe('run\n');
    await writeFile(join(files, 'go'), '');
    const records = await Promise.all(runs.map((run) => second.ended(String(run.body.run_id))));
    expect(records.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
    expect(await readFile(join(files, 'ledger'), 'utf8')).toBe('run\nrun\n');
  });

  it('runs that end at any moment of the next start are recorded with their true exit codes', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const delays = [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5];
    const id = await writeScript(scripts, 'timed', {
      tables: '[[service.inputs]]\nname = "delay"\n',
      entry: bash(
        `touch "${files}/$$"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.01; done; sleep $(sed -n 's/^ *"\\([0-9.]*\\)"$/\\1/p' "$1"); exit 6`,
      ),
    });
    const home = await tempFolder();
    const first = await launchHob({ home, scripts: [scripts] });
    const runs = await Promise.all(
      delays.map((delay) => first.post('/api/execute', { script_id: id, data: [String(delay)] })),
    );
    await until('all have started', async () => (await readdir(files)).length === delays.length);
    await first.stop('SIGKILL');
    await writeFile(join(files, 'go'), '');
    const second = await launchHob({ home, scripts: [scripts] });
    onTestFinished(async () => {
      await second.stop();
    });
    const records = await Promise.all(runs.map((run) => second.ended(String(run.body.run_id))));
    expect(records.map(({ end_cause, exit_code }) => [end_cause, exit_code])).toEqual(
      delays.map(() => ['exit', 6]),
    );
    expect((await second.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
  });

  it('a run that ended while no service ran has its true exit code, even if the executor is gone', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'late', {
      entry: bash(
        `touch "${files}/started"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.02; done; exit 5`,
      ),
    });
    const home = await tempFolder();
    const first = await launchHob({ home, scripts: [scripts] });
    const { body } = await first.post('/api/execute', { script_id: id });
    const executor = await executorPid(home);
    await fileThere(join(files, 'started'));
    await first.stop('SIGKILL');
    await writeFile(join(files, 'go'), '');
    await noted(home, String(body.run_id));
    process.kill(executor, 'SIGKILL');
    const second = await launchHob({ home, scripts: [scripts] });
    onTestFinished(async () => {
      await second.stop();
    });
    expect(await second.ended(String(body.run_id))).toMatchObject({
      state: 'failed',
      end_cause: 'exit',
      exit_code: 5,
    });
  });

  it('and its executor too, a run ends as lost, and the next one works', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await writeScript(scripts, 'slow', { entry: bash(`echo $$ > "${files}/pid"; sleep 600`) });
    const quick = await writeScript(scripts, 'quick', { entry: bash('echo hi') });
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.post('/api/execute', { script_id: id });
    await fileThere(join(files, 'pid'));
    process.kill(await executorPid(hob.home), 'SIGKILL');
    expect(await hob.ended(String(body.run_id))).toMatchObject({
      state: 'unknown',
      end_cause: 'lost',
      exit_code: null,
      started_at: expect.any(String),
      duration_ms: null,
    });
    // Its processes were stopped before it was recorded as lost.
    expect(await isRunning(Number(await readFile(join(files, 'pid'), 'utf8')))).toBe(false);
    expect((await hob.run(quick)).body).toMatchObject({ stdout: 'hi\n' });
  });
});

describe('the hob command', () => {
  it('shows its version and its help', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await runCli(['--version']).ended).toMatchObject({ code: 0, stdout: `${version}\n` });
    const { code, stdout } = await runCli(['--help']).ended;
    expect(code).toBe(0);
    for (const word of ['serve', 'stop', '--version']) expect(stdout).toContain(word);
    const serve = await runCli(['serve', '--help']).ended;
    for (const flag of ['--home', '--host', '--port', '--scripts', '--log-level'])
      expect(serve.stdout).toContain(flag);
  });

  it('refuses unknown words with a hint', async () => {
    const { code, stderr } = await runCli(['dance']).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('hob --help');
  });
});
