import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { memoryFolderOf } from '../src/runs/memory-folder.ts';
import { launchHob, startHob, tempFolder } from './support/hob.ts';
import { has } from './support/needs.ts';
import { bash, writeScript } from './support/scripts.ts';
import { fileThere, until } from './support/until.ts';

const hasMemory = has('a file system in memory (/dev/shm)', existsSync('/dev/shm'));

/** A script that says where its parameter file is. */
async function scene() {
  const [scripts, home] = [await tempFolder(), await tempFolder()];
  const id = await writeScript(scripts, 'telling', { entry: bash('echo "$1"') });
  return { scripts, home, id };
}

function said(answer: { body: Record<string, unknown> }): string {
  return String(answer.body.stdout).trim();
}

describe.skipIf(!hasMemory)('a parameter file', () => {
  it('lies in memory while its caller waits, unless it is large, and in the folder of the run otherwise', async () => {
    const { scripts, home, id } = await scene();
    const hob = await startHob({ home, scripts: [scripts] });
    const quick = await hob.run(id);
    const runId = quick.headers.get('x-hob-run-id') ?? '';
    expect(said(quick)).toBe(join(memoryFolderOf(home), runId, 'params.json'));
    expect(existsSync(said(quick))).toBe(false);

    const large = await hob.run(id, { data: { text: 'x'.repeat(70_000) } });
    expect(dirname(said(large))).toBe(join(home, 'runs', large.headers.get('x-hob-run-id') ?? ''));
    const keyed = await hob.post(
      '/api/execute',
      { script_id: id, sync: true },
      { 'idempotency-key': 'the-only-one' },
    );
    expect(dirname(dirname(said(keyed)))).toBe(join(home, 'runs'));
    const { body } = await hob.post('/api/execute', { script_id: id });
    await hob.ended(String(body.run_id));
    const told = await fetch(`${hob.url}/api/runs/${body.run_id}/stdout`);
    expect((await told.text()).trim()).toBe(join(home, 'runs', String(body.run_id), 'params.json'));

    expect(await readdir(memoryFolderOf(home))).toEqual(['home']);
    await hob.stop();
    expect(existsSync(memoryFolderOf(home))).toBe(false);
  });

  it('can have others beside it, which are kept with the run: also the envelope', async () => {
    const { scripts, home } = await scene();
    const text = `cd "$(dirname "$1")"; printf '{"code":0,"msg":"beside"}' > result.json; echo kept > 'a file'`;
    const id = await writeScript(scripts, 'beside', { entry: bash(text) });
    const hob = await startHob({ home, scripts: [scripts] });
    const { body, headers } = await hob.run(id);
    expect(body).toMatchObject({ success: true, message: 'beside' });
    const folder = join(home, 'runs', headers.get('x-hob-run-id') ?? '');
    expect(await readFile(join(folder, 'a file'), 'utf8')).toBe('kept\n');
    expect(await readdir(memoryFolderOf(home))).toEqual(['home']);
  });

  it('lies in the folder of the run where the settings say so', async () => {
    const { scripts, home, id } = await scene();
    const hob = await startHob({ home, scripts: [scripts], settings: 'parameters_in_memory = false\n' });
    expect(dirname(dirname(said(await hob.run(id))))).toBe(join(home, 'runs'));
    expect(existsSync(memoryFolderOf(home))).toBe(false);
  });

  it.each(['true', 'false'])(
    'in memory of a run whose service was killed is there for the run, and goes with it (%s)',
    async (inMemory) => {
      const [scripts, home, files] = [await tempFolder(), await tempFolder(), await tempFolder()];
      const entry = bash(
        `touch "${files}/started"; until [ -e "${files}/go" ]; do sleep 0.02; done; cat "$1" > "${files}/read"`,
      );
      const id = await writeScript(scripts, 'patient', { entry });
      const killed = await launchHob({ home, scripts: [scripts] });
      const answer = killed.run(id).catch(() => null);
      await fileThere(join(files, 'started'));
      const [runId = ''] = (await readdir(memoryFolderOf(home))).filter((entry) => entry !== 'home');
      await killed.stop('SIGKILL');
      await answer;
      const stray = join(memoryFolderOf(home), '33333333-3333-4333-8333-333333333333');
      await mkdir(stray);
      await writeFile(join(stray, 'params.json'), 'a secret');

      const settings = `parameters_in_memory = ${inMemory}\n`;
      const hob = await startHob({ home, scripts: [scripts], settings });
      const left = async () => (await readdir(memoryFolderOf(home))).sort();
      await until('the stray is gone', async () => (await left()).length === 2);
      expect(await left()).toEqual([runId, 'home']);
      await writeFile(join(files, 'go'), '');
      expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
      expect(JSON.parse(await readFile(join(files, 'read'), 'utf8'))).toMatchObject({
        environment: { run_id: runId },
      });
      expect(await left()).toEqual(['home']);
    },
  );
});
