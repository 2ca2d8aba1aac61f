import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, it, onTestFinished, vi } from 'vitest';

import { ServiceClient } from './service-client.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A client for a service that refuses connections. */
async function clientOfNothing(): Promise<ServiceClient> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'params.json');
  const environment = { api_base: 'http://127.0.0.1:1', output_json: join(folder, 'output.json') };
  await writeFile(file, JSON.stringify({ environment }));
  vi.stubEnv('HOB_PARAMETER_FILE', file);
  return ServiceClient.ofRunOrHome(undefined);
}

it('reports a service that does not respond', async () => {
  const client = await clientOfNothing();
  await expect(client.get('/api/health')).rejects.toThrow(/^No response from Hob at http:\/\/127.0.0.1:1 \(/);
});

it('does not report a bug of a command as a service that does not respond', async () => {
  const client = await clientOfNothing();
  await expect(client.post('/api/stop', { count: 1n }, { hint: 'Wait.' })).rejects.toThrow(TypeError);
});
