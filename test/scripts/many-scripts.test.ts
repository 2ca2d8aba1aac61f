import { join } from 'node:path';

import { expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';

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
