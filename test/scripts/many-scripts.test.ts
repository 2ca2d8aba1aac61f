import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const ok = bash('echo \'{"code":0,"msg":"ran"}\' > "$output"');

it('a folder of 2,000 scripts loads quickly', async () => {
  const scripts = await tempFolder();
  const ids: string[] = [];
  for (let index = 0; index < 2000; index++)
    ids.push(await writeScript(scripts, join(`group-${index % 20}`, `script-${index}`), { entry: ok }));
  const started = performance.now();
  const hob = await startHob({ scripts: [scripts] });
  const loadedMs = performance.now() - started;
  // Five times the value measured on two cores. This is not a benchmark, but a folder must not take minutes.
  expect(loadedMs).toBeLessThan(10_000);
  const { body } = await hob.get('/api/scripts');
  expect(JSON.parse(JSON.stringify(body.scripts))).toHaveLength(2000);
  expect((await hob.run(ids[1234] ?? '')).body.message).toBe('ran');
  process.stderr.write(`2,000 scripts: listening after ${Math.round(loadedMs)} ms\n`);
});

it('notices scripts that are changed, removed and added as soon as the service listens', async () => {
  const scripts = await tempFolder();
  const ids: string[] = [];
  // The watcher needs longer for these than the changes below.
  for (let index = 0; index < 500; index++)
    ids.push(await writeScript(scripts, `script-${index}`, { entry: ok }));
  const away = await tempFolder();
  const added = await writeScript(away, 'added', { entry: ok });
  const [changed = '', removed = ''] = ids;
  const manifestPath = join(scripts, 'script-0', 'script.toml');
  const manifest = (await readFile(manifestPath, 'utf8')).replace(/^name = .*/m, 'name = "renamed"');
  const hob = await startHob({ scripts: [scripts] });
  writeFileSync(manifestPath, manifest);
  rmSync(join(scripts, 'script-1'), { recursive: true });
  renameSync(join(away, 'added'), join(scripts, 'added'));
  const nameOf = async (id: string) => (await hob.get(`/api/scripts/${id}`)).body.name;
  await until('the script is renamed', async () => (await nameOf(changed)) === 'renamed');
  await until('the script is gone', async () => (await hob.get(`/api/scripts/${removed}`)).status === 404);
  const listed = async () => JSON.stringify((await hob.get('/api/scripts')).body.scripts).includes(added);
  await until('the new script is listed', listed);
});
