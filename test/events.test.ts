import { expect, it } from 'vitest';

import { listenTo } from './support/event-client.ts';
import { startHob, tempFolder } from './support/hob.ts';
import { bash, writeScript } from './support/scripts.ts';

it('tells of a run that it was queued, started and ended, in this order', async () => {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'hello', {
    name: '你好',
    entry: bash('printf \'{\n"code": 0,\r\n "msg":"完成\\u2028"}\' > "$output"'),
  });
  const hob = await startHob({ scripts: [scripts] });
  const client = await listenTo(`${hob.url}/api/events`);
  expect(client.status).toBe(200);
  expect(client.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  const { body, headers } = await hob.run(id);
  expect(body.success).toBe(true);
  const runId = String(headers.get('x-hob-run-id'));
  await client.until('the run ended', ({ events }) => events.some(({ type }) => type === 'run.ended'));
  const events = client.ofRun(runId);
  expect(events.map(({ type }) => type)).toEqual(['run.queued', 'run.started', 'run.ended']);
  expect(events.map(({ data }) => data.state)).toEqual(['queued', 'running', 'succeeded']);
  const record = (await hob.get(`/api/runs/${runId}`)).body;
  expect({ ...events[2]?.data, left_running: null }).toEqual({ ...record, left_running: null });
  expect(client.retryMs).toBe(1000);
});
