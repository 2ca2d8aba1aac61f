import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { fileThere } from '../support/until.ts';

async function setUp() {
  const scripts = await tempFolder();
  const files = await tempFolder();
  const id = await writeScript(scripts, 'held', {
    entry: bash(`touch "${files}/begun"; until [ -e "${files}/go" ]; do sleep 0.02; done; exit 6`),
  });
  return {
    scripts,
    id,
    begun: () => fileThere(join(files, 'begun')),
    go: () => writeFile(join(files, 'go'), ''),
  };
}

const submit = async (hob: Hob, script: string) =>
  String((await hob.post('/api/execute', { script_id: script })).body.run_id);
const remove = (hob: Hob, runId: string) => fetch(`${hob.url}/api/runs/${runId}`, { method: 'DELETE' });

describe('a caller that waits for a run', () => {
  it('gets its record at its end, with many other callers, and immediately if it has ended', async () => {
    const { scripts, id, begun, go } = await setUp();
    const hob = await startHob({ scripts: [scripts] });
    const runId = await submit(hob, id);
    await begun();
    const waiting = Array.from({ length: 50 }, () => hob.get(`/api/runs/${runId}?wait=300`));
    const early = await hob.get(`/api/runs/${runId}?wait=0.05`);
    expect(early).toMatchObject({ status: 200, body: { state: 'running', ended_at: null } });
    await go();
    for (const { status, headers, body } of await Promise.all(waiting)) {
      expect([status, headers.get('x-hob-run-id')]).toEqual([200, runId]);
      expect(body).toMatchObject({ state: 'failed', exit_code: 6 });
    }
    expect((await hob.get(`/api/runs/${runId}?wait=300`)).body).toMatchObject({ exit_code: 6 });
    // Node would warn about too many listeners here.
    expect(hob.log()).not.toContain('Warning');
  });

  it('gets 400 for an invalid wait, and 404 for an unknown or deleted run', async () => {
    const { scripts, id, begun, go } = await setUp();
    const hob = await startHob({ scripts: [scripts] });
    const runId = await submit(hob, id);
    await begun();
    for (const wait of ['-1', '301', 'x']) {
      const { status, body } = await hob.get(`/api/runs/${runId}?wait=${wait}`);
      expect([wait, status]).toEqual([wait, 400]);
      expect(body).toMatchObject({ code: 'field-invalid', message: expect.stringContaining('0 to 300') });
    }
    expect((await hob.get(`/api/runs/${runId}?wait=1&wait=2`)).status).toBe(400);
    const unknown = '93081ff8-7e74-4d11-9162-237fb30f8fee';
    expect((await hob.get(`/api/runs/${unknown}?wait=300`)).status).toBe(404);
    await go();
    await hob.get(`/api/runs/${runId}?wait=300`);
    await remove(hob, runId);
    expect((await hob.get(`/api/runs/${runId}?wait=300`)).status).toBe(404);
  });

  it('may disconnect', async () => {
    const { scripts, id, begun, go } = await setUp();
    const hob = await startHob({ scripts: [scripts] });
    const runId = await submit(hob, id);
    await begun();
    const leaving = new AbortController();
    const left = Array.from({ length: 20 }, () =>
      fetch(`${hob.url}/api/runs/${runId}?wait=300`, { signal: leaving.signal }).catch(() => 'left'),
    );
    await hob.get('/api/health');
    leaving.abort();
    expect(new Set(await Promise.all(left))).toEqual(new Set(['left']));
    const stays = hob.get(`/api/runs/${runId}?wait=300`);
    await go();
    expect((await stays).body).toMatchObject({ exit_code: 6 });
    expect(hob.log()).not.toContain('ERROR');
  });

  it('gets the current record when the service stops, and can wait again at the next one', async () => {
    const { scripts, id, begun, go } = await setUp();
    const service = await startRestartable({ scripts: [scripts] });
    const runId = await submit(service.hob, id);
    await begun();
    const waiting = await sent(`${service.hob.url}/api/runs/${runId}?wait=300`);
    // Requests are answered in order, so the previous one has been accepted.
    await service.hob.get('/api/health');
    await service.restart();
    expect(await waiting.answer).toMatchObject({ state: 'running', ended_at: null });
    const next = service.hob.get(`/api/runs/${runId}?wait=300`);
    await go();
    expect((await next).body).toMatchObject({ state: 'failed', exit_code: 6 });
  });
});

/** Resolves once a request is sent, with a promise of the answer. */
function sent(url: string): Promise<{ answer: Promise<unknown> }> {
  return new Promise((resolve) => {
    const call = get(url);
    const answer = new Promise((got, failed) => {
      call.once('error', failed);
      call.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.once('end', () => got(JSON.parse(text)));
      });
    });
    call.once('finish', () => resolve({ answer }));
  });
}
