import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { executorPid, noted, runCli, tempFolder, untilGone } from '../support/hob.ts';
import { startRestartable } from '../support/restartable.ts';
import { Secrets, writeSecretiveScripts } from '../support/secret-scene.ts';
import { everythingIn, SecretSearch } from '../support/secret-search.ts';
import { fileThere, until } from '../support/until.ts';

/** A service, a run that lasts until it is released, and a search of the whole home for all secrets. */
async function openScene() {
  const secrets = new Secrets();
  const scripts = await writeSecretiveScripts(secrets);
  const service = await startRestartable({ scripts: [scripts.scripts] });
  const { home } = service.hob;
  const execute = async (scriptId: string) => {
    const params = { token: secrets.next(`secret ${secrets.all.length}`) };
    const { status, body } = await service.hob.post('/api/execute', { script_id: scriptId, params });
    expect(status).toBe(200);
    return String(body.run_id);
  };
  return {
    ...scripts,
    service,
    home,
    execute,
    /** Starts a run that holds a secret, and waits until its script runs. */
    async hold() {
      const runId = await execute(scripts.ids.holding);
      await fileThere(scripts.started(runId));
      return runId;
    },
    fileOf: (runId: string) => join(home, 'runs', runId, 'params.json'),
    /** The files in the home that contain a secret. */
    async findSecrets() {
      const search = new SecretSearch();
      for (const secret of [...secrets.all, ...(await scripts.tokens())]) search.add(secret);
      const found = search.findIn(await everythingIn(home)).map((line) => line.split(': ')[0]);
      return [...new Set(found)];
    },
  };
}

describe('the parameter file of a run', () => {
  it('is removed when the run ends', async () => {
    const scene = await openScene();
    const runId = await scene.hold();
    expect(await scene.findSecrets()).toEqual([scene.fileOf(runId)]);
    await scene.release();
    expect(await scene.service.hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    expect(await scene.findSecrets()).toEqual([]);
  });

  it('is removed when the script fails or cannot be started', async () => {
    const scene = await openScene();
    const causes = { [scene.ids.failing]: 'exit', [scene.ids.unstartable]: 'spawn-failed' };
    for (const [id, cause] of Object.entries(causes)) {
      const ended = await scene.service.hob.ended(await scene.execute(id));
      expect(ended).toMatchObject({ state: 'failed', end_cause: cause });
    }
    expect(await scene.findSecrets()).toEqual([]);
  });

  it('is removed when the run ends after `hob stop`, while no service runs', async () => {
    const scene = await openScene();
    const runId = await scene.hold();
    const executor = await executorPid(scene.home);
    expect((await runCli(['stop', '--home', scene.home]).ended).code).toBe(0);
    await scene.service.restart('SIGTERM', async () => {
      expect(await scene.findSecrets()).toEqual([scene.fileOf(runId)]);
      await scene.release();
      await untilGone(executor);
      expect(await scene.findSecrets()).toEqual([]);
    });
    expect(await scene.service.hob.ended(runId)).toMatchObject({ state: 'succeeded' });
  });

  it('is removed when the run ends after the service was killed, while no service runs', async () => {
    const scene = await openScene();
    const runId = await scene.hold();
    await scene.service.restart('SIGKILL', async () => {
      expect(await scene.findSecrets()).toEqual([scene.fileOf(runId)]);
      await scene.release();
      await noted(scene.home, runId);
      expect(await scene.findSecrets()).toEqual([]);
    });
    expect(await scene.service.hob.ended(runId)).toMatchObject({ state: 'succeeded' });
  });

  it('is removed at the next start after service and executor were killed', async () => {
    const scene = await openScene();
    const runId = await scene.hold();
    await scene.service.restart('SIGKILL', async () => {
      const executor = await executorPid(scene.home);
      process.kill(executor, 'SIGKILL');
      await untilGone(executor);
      expect(await scene.findSecrets()).toEqual([scene.fileOf(runId)]);
    });
    expect(await scene.service.hob.ended(runId)).toMatchObject({ end_cause: 'lost' });
    expect(await scene.findSecrets()).toEqual([]);
  });

  it('is removed when a queued run is cancelled, and the running one keeps its own', async () => {
    const scene = await openScene();
    const running = await scene.hold();
    const queued = await scene.execute(scene.ids.holding);
    expect((await scene.findSecrets()).toSorted()).toEqual(
      [scene.fileOf(running), scene.fileOf(queued)].toSorted(),
    );
    await scene.service.hob.post(`/api/runs/${queued}/cancel`, {});
    expect(await scene.service.hob.ended(queued)).toMatchObject({ end_cause: 'cancelled' });
    expect(await scene.findSecrets()).toEqual([scene.fileOf(running)]);
    await scene.release();
    await scene.service.hob.ended(running);
    expect(await scene.findSecrets()).toEqual([]);
  });

  it('is removed at the next start if it was left, while running and queued runs keep theirs', async () => {
    const scene = await openScene();
    const ended = await scene.execute(scene.ids.quiet);
    await scene.service.hob.ended(ended);
    const [running, queued] = [await scene.hold(), await scene.execute(scene.ids.holding)];
    const ofOthers = await tempFolder();
    await writeFile(join(ofOthers, 'params.json'), 'of others');
    const link = join(scene.home, 'runs', '6f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11');
    await scene.service.restart('SIGKILL', async () => {
      // The first is left if the disk was read-only, the second if the service was killed while it renewed a queued run's file.
      await writeFile(scene.fileOf(ended), await readFile(scene.fileOf(running)));
      await writeFile(`${scene.fileOf(queued)}.new`, await readFile(scene.fileOf(queued)));
      await symlink(ofOthers, link);
    });
    await until('the file of the ended run is removed', async () => !existsSync(scene.fileOf(ended)));
    for (const runId of [running, queued]) expect(existsSync(scene.fileOf(runId))).toBe(true);
    await scene.release();
    for (const runId of [running, queued])
      expect(await scene.service.hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    expect(await scene.findSecrets()).toEqual([]);
    expect(await readFile(join(ofOthers, 'params.json'), 'utf8')).toBe('of others');
  });
});
