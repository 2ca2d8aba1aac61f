import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { testPath } from '../support/needs.ts';
import { install, operate } from '../support/packages.ts';
import { startRestartable } from '../support/restartable.ts';
import { python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';
import { makeTarball, makeWheel } from '../support/wheels.ts';

const run = promisify(execFile);

type Run = Record<string, unknown>;

/** A Python script that prints the version of a package, which it gets from wheels in its own folder. */
async function pythonScript(parent: string, folder: string, version: string, text = ''): Promise<string> {
  const id = await writeScript(parent, folder, {
    language: 'python',
    entry: python('import greeting\nwrite({"code": 0, "msg": greeting.version})'),
  });
  await makeWheel(join(parent, folder, 'wheels'), 'greeting', version, { text });
  await require(parent, folder, version);
  return id;
}

function require(parent: string, folder: string, version: string): Promise<void> {
  const lines = ['--no-index', '--find-links ./wheels', `greeting==${version}`, ''];
  return writeFile(join(parent, folder, 'requirements.txt'), lines.join('\n'));
}

/** The runs that prepared environments, the newest first. */
async function builds(hob: Hob): Promise<Run[]> {
  const { items } = (await hob.get('/api/runs?origin=hob')).body;
  return items as Run[];
}

async function environments(hob: Hob): Promise<Run[]> {
  return (await hob.get('/api/environments')).body.items as Run[];
}

describe('the first run of a script with dependencies', () => {
  it('waits for its environment, which a separate run with a log prepares', async () => {
    const scripts = await tempFolder();
    const id = await pythonScript(scripts, '我的 script', '1.0.0');
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(id)).body).toMatchObject({ success: true, message: '1.0.0' });
    const [build, ...others] = await builds(hob);
    expect(others).toEqual([]);
    expect(build).toMatchObject({ state: 'succeeded', script_name: 'Environment: 我的 script' });
    const [asked] = (await hob.get(`/api/runs?script=${id}`)).body.items as Run[];
    expect(build?.parent_run_id).toBe(asked?.run_id);
    const { body: stats } = await hob.get('/api/stats', { 'accept-language': 'zh' });
    const named = (script_name: string) => expect.objectContaining({ script_name, runs: 1 });
    expect(stats.scripts).toHaveLength(2);
    expect(stats.scripts).toEqual(expect.arrayContaining([named('我的 script'), named('构建运行环境')]));
    const { body: outcomes } = await hob.get('/api/outcomes');
    expect(outcomes.items).toContainEqual(expect.objectContaining({ script_name: 'Environment builds' }));
    const log = await (await fetch(`${hob.url}/api/runs/${build?.run_id}/stdout`)).text();
    expect(log).toContain('greeting');
    expect((await hob.run(id)).body).toMatchObject({ message: '1.0.0' });
    expect(await builds(hob)).toHaveLength(1);
    expect(await environments(hob)).toMatchObject([
      { kind: 'python', state: 'ready', scripts: [{ script_id: id }] },
    ]);
  });

  it('shares one build with concurrent runs, even with one slot and no queue', async () => {
    const scripts = await tempFolder();
    const id = await pythonScript(scripts, 'busy', '1.0.0');
    const hob = await startHob({ scripts: [scripts] });
    const answers = await Promise.all(Array.from({ length: 5 }, () => hob.run(id)));
    for (const { body } of answers) expect(body).toMatchObject({ success: true, message: '1.0.0' });
    expect(await builds(hob)).toHaveLength(1);

    const narrow = await startHob({ scripts: [scripts], settings: 'max_runs = 1\nmax_queued = 0\n' });
    expect((await narrow.run(id)).body).toMatchObject({ success: true, message: '1.0.0' });
  });

  it('lends its slot to a build that another run has requested', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const holder = await writeScript(scripts, 'holder', {
      entry: [
        'main.sh',
        `touch "${files}/holds"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.02; done\n`,
      ],
    });
    const id = await pythonScript(scripts, 'needy', '1.0.0');
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 1\n' });
    const held = hob.run(holder);
    await until('the slot is taken', async () => (await readdir(files)).includes('holds'));
    // The run is queued first, then the build, which no run has requested. The run would hold the slot that the build needs.
    const waiting = hob.run(id);
    await until('it is queued', async () => (await hob.get('/api/health')).body.queued === 1);
    const preparing = operate(hob, `/api/scripts/${id}/prepare`);
    await until('the build is queued', async () => (await hob.get('/api/health')).body.queued === 2);
    await writeFile(join(files, 'go'), '');
    expect((await held).body).toMatchObject({ success: true });
    expect((await waiting).body).toMatchObject({ success: true, message: '1.0.0' });
    expect(await preparing).toMatchObject({ state: 'done', kind: 'prepare' });
    expect(await builds(hob)).toHaveLength(1);
  });

  it('does not count the preparation as its own time, and can be cancelled without stopping it', async () => {
    const scripts = await tempFolder();
    const id = await pythonScript(scripts, 'slow', '1.0.0');
    const hob = await startHob({ scripts: [scripts] });
    const started = await hob.post('/api/execute', { script_id: id });
    const runId = String(started.body.run_id);
    await until('the build has begun', async () => (await builds(hob)).length === 1);
    await hob.post(`/api/runs/${runId}/cancel`, {});
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'cancelled' });
    const [build] = await builds(hob);
    expect(await hob.ended(String(build?.run_id))).toMatchObject({ state: 'succeeded' });
    expect((await hob.run(id)).body).toMatchObject({ message: '1.0.0' });
    expect(await builds(hob)).toHaveLength(1);
  });

  it('that cannot be prepared says why in the language of its caller, and the next run tries again', async () => {
    const scripts = await tempFolder();
    const id = await pythonScript(scripts, 'lacking', '1.0.0');
    await require(scripts, 'lacking', '9.9.9');
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.run(id, {});
    expect(body).toMatchObject({ success: false });
    expect(String(body.message)).toMatch(/greeting/);
    const [build] = await builds(hob);
    expect(build).toMatchObject({ state: 'failed' });
    expect(String(body.message)).toContain(String(build?.run_id));
    await require(scripts, 'lacking', '1.0.0');
    expect((await hob.run(id)).body).toMatchObject({ success: true, message: '1.0.0' });
  });

  it('uses what the machine has if environments are switched off', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'plain', {
      language: 'python',
      entry: python('write({"code": 0, "msg": sys.prefix == sys.base_prefix and "bare" or "venv"})'),
    });
    await writeFile(join(scripts, 'plain', 'requirements.txt'), '--no-index\nnobody-has-this\n');
    const hob = await startHob({ scripts: [scripts], settings: 'environments = false\n' });
    expect((await hob.run(id)).body).toMatchObject({ success: true, message: 'bare' });
    expect(await builds(hob)).toEqual([]);
  });
});

describe('installed scripts', () => {
  it('with conflicting versions run side by side, and changed requirements cause a new build', async () => {
    const source = await tempFolder();
    const [one, two] = [
      await pythonScript(source, 'one', '1.0.0'),
      await pythonScript(source, 'two', '2.0.0'),
    ];
    const hob = await startHob();
    for (const folder of ['one', 'two']) {
      const operation = await install(hob, join(source, folder));
      expect(operation).toMatchObject({ state: 'done', error: null });
      expect(operation.run_id).not.toBeNull();
    }
    const both = await Promise.all([hob.run(one), hob.run(two)]);
    expect(both.map(({ body }) => body.message)).toEqual(['1.0.0', '2.0.0']);
    expect(await builds(hob)).toHaveLength(2);

    await makeWheel(join(source, 'one', 'wheels'), 'greeting', '1.5.0');
    await require(source, 'one', '1.5.0');
    expect(await operate(hob, `/api/packages/${one}/update`)).toMatchObject({ state: 'done' });
    expect((await hob.run(one)).body).toMatchObject({ message: '1.5.0' });
    expect(await builds(hob)).toHaveLength(3);
    expect(await operate(hob, `/api/packages/${one}/rollback`)).toMatchObject({ state: 'done' });
    expect((await hob.run(one)).body).toMatchObject({ message: '1.0.0' });
    expect(await builds(hob)).toHaveLength(3);
  });

  it('for Node get their packages, for import and require, without changes in the source', async () => {
    const source = await tempFolder();
    const id = await writeScript(source, 'node', {
      language: 'node.js',
      entry: [
        'main.mjs',
        `import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import greeting from 'greeting';
const { environment } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const again = createRequire(import.meta.url)('greeting');
writeFileSync(environment.output_json, JSON.stringify({ code: 0, msg: greeting.version + ' ' + again.version }));
`,
      ],
    });
    const folder = join(source, 'node');
    await makeTarball(join(folder, 'packages'), 'greeting', '1.0.0');
    const dependencies = { greeting: 'file:packages/greeting-1.0.0.tgz' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
    const before = await readdir(folder);
    const hob = await startHob();
    expect(await install(hob, folder)).toMatchObject({ state: 'done', error: null });
    expect((await hob.run(id)).body).toMatchObject({ success: true, message: '1.0.0 1.0.0' });
    expect(await readdir(folder)).toEqual(before);
    expect(await environments(hob)).toMatchObject([{ kind: 'node', state: 'ready' }]);
  });
});

describe('a service that is killed while an environment is built', () => {
  it('leaves nothing incomplete in use, and the next service executes the run', async () => {
    const scripts = await tempFolder();
    const id = await pythonScript(scripts, 'killed', '1.0.0');
    const service = await startRestartable({ scripts: [scripts] });
    const { body } = await service.hob.post('/api/execute', { script_id: id });
    await until('the build has begun', async () => (await builds(service.hob)).length === 1);
    await service.restart('SIGKILL');
    expect(await service.hob.ended(String(body.run_id))).toMatchObject({
      state: 'succeeded',
      result: { msg: '1.0.0' },
    });
    expect((await service.hob.run(id)).body).toMatchObject({ message: '1.0.0' });
    expect(await environments(service.hob)).toMatchObject([{ state: 'ready' }]);
  });
});

describe('a service that stops while a run checks its requirements', () => {
  it('finishes the preparation, and the next service executes the run', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const id = await pythonScript(scripts, 'late', '1.0.0');
    const wait = (file: string) =>
      `while [ -d "${files}" ] && [ ! -e "${files}/${file}" ]; do sleep 0.02; done`;
    const holder = await writeScript(scripts, 'holder', {
      entry: ['main.sh', `touch "${files}/holds"; ${wait('go')}\n`],
    });
    const programs = await tempFolder();
    const real = (await run('python3', ['-c', 'import sys; print(sys.executable)'])).stdout.trim();
    await writeFile(
      join(programs, 'python3'),
      `#!/bin/sh\ntouch "${files}/asked"; ${wait('look')}\nexec "${real}" "$@"\n`,
      { mode: 0o755 },
    );
    const path = [programs, testPath].join(delimiter);
    const service = await startRestartable({ scripts: [scripts], env: { PATH: path } });
    const { hob } = service;
    const held = hob.run(holder);
    await until('the holder runs', async () => (await readdir(files)).includes('holds'));
    const { body } = await hob.post('/api/execute', { script_id: id });
    await until('Hob searches for an interpreter', async () => (await readdir(files)).includes('asked'));
    const restarted = service.restart();
    await until('it stops', async () => hob.log().includes('stopping'));
    await writeFile(join(files, 'look'), '');
    await until(
      'the build has begun',
      async () => (await readdir(join(hob.home, 'environments'))).length > 0,
    );
    await writeFile(join(files, 'go'), '');
    expect((await held).body).toMatchObject({ success: true });
    await restarted;
    expect(await service.hob.ended(String(body.run_id))).toMatchObject({
      state: 'succeeded',
      result: { msg: '1.0.0' },
    });
  });
});

describe('an environment', () => {
  it('is not removed while a run uses it, and is rebuilt when it is needed again', async () => {
    const scripts = await tempFolder();
    const files = await tempFolder();
    const wait = `import os, time\nwhile os.path.isdir("${files}") and not os.path.exists("${files}/go"): time.sleep(0.02)\n`;
    const id = await pythonScript(scripts, 'used', '1.0.0', wait);
    const hob = await startHob({ scripts: [scripts] });
    const running = hob.run(id);
    const [environment] = await until('it is ready', async () => {
      const all = await environments(hob);
      return all[0]?.state === 'ready' && all;
    });
    const remove = async () => {
      const answer = await fetch(`${hob.url}/api/environments/${environment?.key}`, { method: 'DELETE' });
      return { status: answer.status, code: answer.headers.get('x-hob-error') };
    };
    expect(await remove()).toEqual({ status: 409, code: 'environment-in-use' });
    await writeFile(join(files, 'go'), '');
    expect((await running).body).toMatchObject({ success: true });
    expect(await remove()).toEqual({ status: 200, code: null });
    expect(await environments(hob)).toEqual([]);
    expect((await hob.run(id)).body).toMatchObject({ success: true, message: '1.0.0' });
  });

  it("in the script's own folder is respected", async () => {
    const scripts = await tempFolder();
    const id = await pythonScript(scripts, 'own', '1.0.0');
    const venv = join(scripts, 'own', '.venv');
    await run('python3', ['-m', 'venv', '--without-pip', venv], { env: { PATH: testPath } });
    const [library = ''] = await readdir(join(venv, 'lib'));
    await writeFile(join(venv, 'lib', library, 'site-packages', 'greeting.py'), 'version = "its own"\n');
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(id)).body).toMatchObject({ success: true, message: 'its own' });
    expect(await builds(hob)).toEqual([]);
  });
});
