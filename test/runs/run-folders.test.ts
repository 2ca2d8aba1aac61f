import { chown, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { canBecomeOrdinary, ordinaryUser } from '../support/ordinary-user.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const canLock = has(
  'another user, for permissions (root on Linux)',
  canBecomeOrdinary && findProgram('setpriv') !== null,
);

async function remove(hob: Hob, runId: string): Promise<number> {
  return (await fetch(`${hob.url}/api/runs/${runId}`, { method: 'DELETE' })).status;
}

async function outputOf(hob: Hob, runId: string, stream: string): Promise<string> {
  return (await fetch(`${hob.url}/api/runs/${runId}/${stream}`)).text();
}

async function historyBytes(hob: Hob): Promise<number> {
  const { body } = await hob.get('/api/stats');
  return Number(Object(body.history).bytes);
}

describe('the folder of a run', () => {
  it('that was replaced by a link shows no file of the target, and changes nothing there', async () => {
    const scripts = await tempFolder();
    const other = await tempFolder();
    const foreign = {
      'params.json': 'foreign',
      'result.json': '{"code":0,"msg":"foreign"}',
      'stdout.log': 'foreign',
      'stderr.log': 'foreign',
    };
    for (const [name, text] of Object.entries(foreign)) await writeFile(join(other, name), text);
    await writeFile(join(other, 'large'), Buffer.alloc(5_000_000, 1));
    const entry = bash(
      `folder=$(dirname "$output"); mv "$folder" "$folder.moved"; ln -s "${other}" "$folder"; echo "my words"; echo "my words" >&2; exit 3`,
    );
    const id = await writeScript(scripts, 'linking', { entry });
    const hob = await startHob({ scripts: [scripts] });

    const answer = await hob.run(id);
    const runId = answer.headers.get('x-hob-run-id') ?? '';
    expect(JSON.stringify(answer.body)).not.toContain('foreign');
    for (const stream of ['stdout', 'stderr'])
      expect(await outputOf(hob, runId, stream)).not.toContain('foreign');
    await until('its size is known', async () => (await historyBytes(hob)) > 0);
    expect(await historyBytes(hob)).toBeLessThan(1_000_000);

    expect(await remove(hob, runId)).toBe(200);
    expect(await lstat(join(hob.home, 'runs', runId)).catch(() => null)).toBeNull();
    for (const [name, text] of Object.entries(foreign))
      expect(await readFile(join(other, name), 'utf8')).toBe(text);
  });

  it.skipIf(!canLock)('that a script has locked keeps no secrets, and is deleted with the run', async () => {
    const [scripts, home] = [await tempFolder(), await tempFolder()];
    const entry = bash(
      `cd "$(dirname "$output")"; mkdir -p inner/deep; touch inner/deep/file; chmod 0 inner/deep inner; chmod 500 .`,
    );
    const id = await writeScript(scripts, 'locking', { entry });
    for (const folder of [scripts, home]) await chown(folder, ordinaryUser, ordinaryUser);
    const user = [`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, '--clear-groups'];
    const hob = await startHob({
      home,
      scripts: [scripts],
      env: { HOME: home },
      wrapper: ['setpriv', ...user],
    });
    const runId = (await hob.run(id)).headers.get('x-hob-run-id') ?? '';
    const folder = join(home, 'runs', runId);
    expect(await readdir(folder)).toContain('inner');
    expect(await readdir(folder)).not.toContain('params.json');
    expect(await remove(hob, runId)).toBe(200);
    expect(await readdir(join(home, 'runs'))).toEqual([]);
  });

  it('with very many files is deleted with the run, while requests are answered', async () => {
    const scripts = await tempFolder();
    const entry = bash(
      `cd "$(dirname "$output")"; mkdir a b; (cd a; seq 1 10000 | xargs touch); (cd b; seq 1 3000 | xargs mkdir)`,
    );
    const id = await writeScript(scripts, 'many', { entry });
    const hob = await startHob({ scripts: [scripts] });
    const runId = (await hob.run(id)).headers.get('x-hob-run-id') ?? '';
    let isRemoved = false;
    const removed = remove(hob, runId).finally(() => {
      isRemoved = true;
    });
    let answered = 0;
    for (; !isRemoved; answered++) expect((await hob.get('/api/health')).status).toBe(200);
    expect(await removed).toBe(200);
    expect(answered).toBeGreaterThan(10);
    expect(await readdir(join(hob.home, 'runs'))).toEqual([]);
  });
});
