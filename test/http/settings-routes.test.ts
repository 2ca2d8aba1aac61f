import { join } from 'node:path';

import { expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { writeScript } from '../support/scripts.ts';

it('returns the settings of the service, and where each comes from', async () => {
  const hob = await startHob({ settings: 'max_queued = 7\n', env: { HOB_DRAIN_S: '3' } });
  const { status, body } = await hob.get('/api/settings', { 'accept-language': 'zh' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    home: hob.home,
    file: join(hob.home, 'settings.toml'),
    address: hob.url,
    beyond: [],
    next: null,
  });
  expect(body.items).toEqual(
    expect.arrayContaining([
      {
        name: 'max_queued',
        value: 7,
        default: 1000,
        source: 'file',
        set_by: join(hob.home, 'settings.toml'),
        description: expect.stringContaining('排队'),
      },
      expect.objectContaining({ name: 'drain_s', value: 3, source: 'environment', set_by: 'HOB_DRAIN_S' }),
      expect.objectContaining({ name: 'port', value: 0, source: 'flag', set_by: '--port' }),
      expect.objectContaining({ name: 'token', value: false, source: 'default', set_by: null }),
    ]),
  );
  expect((await hob.get('/api/settings?x=1')).status).toBe(400);
});

it('returns the interpreters, and which are missing that a script needs', async () => {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'server', { name: 'Server', language: 'bun' });
  // This PATH is empty. Node is available because it runs the service.
  const hob = await startHob({ scripts: [scripts], env: { PATH: await tempFolder() } });
  const { body } = await hob.get('/api/runtimes');
  expect(body.items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ language: 'node.js', version: process.versions.node, install: null }),
      {
        language: 'bun',
        version: null,
        path: null,
        install: expect.stringContaining('https://bun.sh/'),
        needed_by: [{ script_id: id, script_name: 'Server' }],
      },
      expect.objectContaining({ language: 'python', path: null, needed_by: [] }),
    ]),
  );
});
