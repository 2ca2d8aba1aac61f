import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { describe, expect, it } from 'vitest';

import { appInProcess, openGuarded } from '../support/app-in-process.ts';

describe('links of callers that cannot be traced', () => {
  it('get 503 with advice when their limit is reached', async () => {
    const { link, runs } = await serve({ maxRuns: 2 });
    const first = link();
    await runs.begun(1);
    const refused = await link({ 'accept-language': 'en' });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('x-hob-error')).toBe('untraced-links-full');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.text()).toContain('environment.api_base');
    runs.endAll();
    expect((await first).status).toBe(200);
  });

  it('release their place with their answer', async () => {
    const { link, runs } = await serve({ maxRuns: 2 });
    for (let count = 1; count <= 3; count++) {
      const answer = link();
      await runs.begun(count);
      runs.endAll();
      expect((await answer).status).toBe(200);
    }
  });

  it('release their place when they are refused', async () => {
    const { link, runs } = await serve({ maxRuns: 2 });
    for (let count = 0; count < 3; count++) expect((await link({}, { params: [] })).status).toBe(400);
    const answer = link();
    await runs.begun(1);
    runs.endAll();
    expect((await answer).status).toBe(200);
  });

  it('release their place when the caller disconnects, also those queued behind another on its connection', async () => {
    const { link, runs, port, script, arrivals } = await serve({ maxRuns: 3 });
    const arrival = once(arrivals, 'connection');
    const caller = connect(port, '127.0.0.1');
    const body = JSON.stringify({ script_id: script });
    const head = `POST /api/link HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    caller.write(`${head}\r\n\r\n${body}`.repeat(2));
    const [socket]: Socket[] = await arrival;
    await runs.begun(2);
    expect((await link()).status).toBe(503);
    const closed = socket === undefined ? undefined : once(socket, 'close');
    caller.destroy();
    await closed;
    const answers = [link(), link()];
    await runs.begun(4);
    runs.endAll();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

async function serve({ maxRuns }: { maxRuns: number }) {
  const { app, executor: runs, script } = await appInProcess({ maxRuns });
  const { url, port, server: arrivals } = await openGuarded(app);
  return {
    script,
    port,
    arrivals,
    runs,
    link: (headers: Record<string, string> = {}, rest: Record<string, unknown> = {}) =>
      fetch(`${url}/api/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ script_id: script, ...rest }),
      }),
  };
}
