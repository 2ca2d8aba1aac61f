import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { appInProcess, openGuarded } from '../support/app-in-process.ts';
import { tempFolder } from '../support/hob.ts';

async function open() {
  const { app } = await appInProcess();
  const { url } = await openGuarded(app);
  return (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/files?path=${encodeURIComponent(path)}`, { headers });
}

describe('GET /api/files', () => {
  it('lists a folder of the machine', async () => {
    const ask = await open();
    const folder = await tempFolder();
    await mkdir(join(folder, 'sub'));
    await writeFile(join(folder, '.env'), 'secret');
    const answer = await ask(folder);
    expect(answer.status).toBe(200);
    const modified = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(await answer.json()).toEqual({
      path: folder,
      parent: join(folder, '..'),
      home: expect.any(String),
      roots: ['/'],
      separator: '/',
      complete: true,
      entries: [
        { name: 'sub', kind: 'folder', link: false, hidden: false, size: null, modified },
        { name: '.env', kind: 'file', link: false, hidden: true, size: 6, modified },
      ],
    });
  });

  it('reports errors in the language of the caller', async () => {
    const ask = await open();
    const folder = await tempFolder();
    const missing = await ask(join(folder, 'none'), { 'accept-language': 'zh' });
    expect([missing.status, missing.headers.get('x-hob-error')]).toEqual([404, 'folder-unknown']);
    expect(await missing.text()).toContain('文件夹不存在');
    expect((await ask('relative')).status).toBe(400);
    expect((await ask('/a\0b')).status).toBe(400);
  });

  it('refuses pages of other origins', async () => {
    const ask = await open();
    const answer = await ask('/', { origin: 'http://evil.test' });
    expect([answer.status, answer.headers.get('x-hob-error')]).toEqual([403, 'door-origin']);
    expect(await answer.text()).not.toContain('entries');
  });
});
