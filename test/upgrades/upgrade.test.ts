import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import {
  executorPid,
  isRunning,
  noted,
  projectRoot,
  startHob,
  tempFolder,
  untilGone,
} from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { fileThere } from '../support/until.ts';

/** This build under another version number, as it would be before or after an upgrade. */
async function installAs(version: string): Promise<string> {
  const root = await tempFolder();
  for (const name of ['bin', 'dist'])
    await cp(join(projectRoot, name), join(root, name), { recursive: true });
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  const manifest = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
  await writeFile(join(root, 'package.json'), JSON.stringify({ ...manifest, version }));
  return join(root, 'bin', 'hob.js');
}

async function startScripts() {
  const scripts = await tempFolder();
  const files = await tempFolder();
  const id = await writeScript(scripts, 'long', {
    entry: bash(
      `echo $PPID > "${files}/$HOB_RUN_ID"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.02; done; exit 6`,
    ),
  });
  return { scripts, files, id };
}

describe('after an upgrade', () => {
  it('the executor of the old version finishes its runs, and a new one takes the new runs', async () => {
    const { scripts, files, id } = await startScripts();
    const old = await startHob({ scripts: [scripts], command: await installAs('0.0.9') });
    const before = String((await old.post('/api/execute', { script_id: id })).body.run_id);
    await fileThere(join(files, before));
    const oldExecutor = await executorPid(old.home);
    await old.stop();
    expect(await isRunning(oldExecutor)).toBe(true);

    const hob = await startHob({ home: old.home, scripts: [scripts] });
    const after = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    await fileThere(join(files, after));
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 2 });
    const parentOf = async (runId: string) => Number(await readFile(join(files, runId), 'utf8'));
    expect(await parentOf(before)).toBe(oldExecutor);
    expect(await parentOf(after)).not.toBe(oldExecutor);

    await writeFile(join(files, 'go'), '');
    for (const runId of [before, after]) {
      expect(await hob.ended(runId)).toMatchObject({ end_cause: 'exit', exit_code: 6 });
    }
    // The old executor has nothing more to report.
    await untilGone(oldExecutor);
  });

  it('a run of the old version can still be cancelled, and ends as lost if its executor is killed', async () => {
    const { scripts, files, id } = await startScripts();
    const old = await startHob({ scripts: [scripts], command: await installAs('0.0.9') });
    const submit = async () => String((await old.post('/api/execute', { script_id: id })).body.run_id);
    const [first, second] = [await submit(), await submit()];
    for (const runId of [first, second]) await fileThere(join(files, runId));
    const oldExecutor = await executorPid(old.home);
    await old.stop('SIGKILL');

    const hob = await startHob({ home: old.home, scripts: [scripts], settings: 'stop_grace_s = 1\n' });
    await hob.post(`/api/runs/${first}/cancel`, {});
    expect(await hob.ended(first)).toMatchObject({ end_cause: 'cancelled' });
    process.kill(oldExecutor, 'SIGKILL');
    expect(await hob.ended(second)).toMatchObject({ state: 'unknown', end_cause: 'lost' });
    const { body } = await hob.get('/api/health');
    expect(body).toMatchObject({ running: 0, queued: 0 });
  });

  it('an executor with an unknown protocol finishes its runs, and they are not recorded as lost', async () => {
    const { scripts, files, id } = await startScripts();
    const old = await startHob({ scripts: [scripts], command: await installAs('0.0.9') });
    const runId = String((await old.post('/api/execute', { script_id: id })).body.run_id);
    await fileThere(join(files, runId));
    await old.stop('SIGKILL');
    const folder = join(old.home, 'executor');
    const oldExecutor = await executorPid(old.home);
    await rewriteAddress(folder, (address) => ({ ...address, protocol: 1 }));

    const hob = await startHob({ home: old.home, scripts: [scripts] });
    expect((await hob.get(`/api/runs/${runId}`)).body).toMatchObject({ state: 'running' });
    expect(await hob.post(`/api/runs/${runId}/cancel`, {})).toMatchObject({
      status: 503,
      body: { code: 'executor-unavailable' },
    });
    await writeFile(join(files, 'go'), '');
    // It waits a minute for a service that could receive the end. This test does not.
    await noted(old.home, runId);
    process.kill(oldExecutor, 'SIGKILL');
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'exit', exit_code: 6 });
  });
});

async function rewriteAddress(
  folder: string,
  change: (address: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const name = (await readdir(folder)).find((each) => each.endsWith('-address.json')) ?? '';
  const address = JSON.parse(await readFile(join(folder, name), 'utf8'));
  await writeFile(join(folder, name), JSON.stringify(change(address)));
}
