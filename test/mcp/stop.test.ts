import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { callInSession, callStateless } from '../support/mcp.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

it.each([
  ['2026', callStateless],
  ['2025', callInSession],
])('answers a call of %s before the service stops, and its run continues', async (_era, call) => {
  const scripts = await tempFolder();
  const release = join(scripts, 'release');
  const entry = bash(`
echo begun
until [ -e "${release}" ]; do sleep 0.05; done
echo '{"code":0,"msg":"done after the restart"}' > "$output"
`);
  await writeScript(scripts, 'patient', { entry });
  const service = await startRestartable({ scripts: [scripts] });
  const answering = call(service.hob, 'patient', {});
  const openRuns = async () =>
    (await service.hob.get('/api/runs?state=running')).body.items as { run_id: string }[];
  await until('the run has begun', async () => (await openRuns()).length === 1);
  const [run] = await openRuns();

  await service.restart();
  const answer = await answering;
  expect(answer).toMatchObject({ structuredContent: { run_id: run?.run_id } });
  expect(JSON.stringify(answer.content)).toContain('hob_wait');
  expect(answer).not.toHaveProperty('isError', true);

  const waiting = call(service.hob, 'hob_wait', { run_id: run?.run_id });
  await writeFile(release, '');
  expect(await waiting).toMatchObject({ structuredContent: { code: 0, msg: 'done after the restart' } });
});
