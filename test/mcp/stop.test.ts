import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { callInSession, callStateless, statelessCallText } from '../support/mcp.ts';
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

it('ends both calls of a connection that is cut, and then stops as usual', async () => {
  const scripts = await tempFolder();
  await writeScript(scripts, 'patient', { entry: bash('sleep 600') });
  const service = await startRestartable({ scripts: [scripts] });
  const { hob } = service;
  const runsIn = async (state: string) =>
    (await hob.get(`/api/runs?state=${state}`)).body.items as { run_id: string }[];
  const socket = connect(Number(new URL(hob.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(statelessCallText(hob, 'patient', {}).repeat(2));
  const runs = await until('both run', async () => {
    const found = await runsIn('running');
    return found.length === 2 && found;
  });
  socket.destroy();
  for (const { run_id } of runs) expect(await hob.ended(run_id)).toMatchObject({ end_cause: 'cancelled' });
  expect(await hob.stop()).toBe(0);
});
