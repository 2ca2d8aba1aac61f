import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { testPath } from '../support/needs.ts';
import { linesOf, until } from '../support/until.ts';

/** A service with a desktop, on which a program of the test opens folders. */
async function startAtDesk(opener: string) {
  const folder = await tempFolder();
  const [bin, files, opened] = [join(folder, 'bin'), join(folder, 'my files, 图片'), join(folder, 'opened')];
  await mkdir(bin);
  await mkdir(files);
  await writeFile(join(files, 'a.sh'), 'exit 0\n', { mode: 0o755 });
  await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\necho "$@" >> '${opened}'\n${opener}\n`, { mode: 0o755 });
  const hob = await startHob({ env: { DISPLAY: ':99', PATH: bin + delimiter + testPath } });
  return { hob, files, opened };
}

describe.runIf(process.platform === 'linux')('POST /api/open-folder', () => {
  it('opens the folder of a file, or a folder itself, and never a file', async () => {
    const { hob, files, opened } = await startAtDesk('exit 0');
    for (const path of [join(files, 'a.sh'), files]) {
      const { status, body } = await hob.post('/api/open-folder', { path });
      expect({ status, body }).toEqual({ status: 200, body: { status: 'success', folder: files } });
    }
    const lines = await until('both are opened', async () => {
      const seen = await linesOf(opened);
      return seen.length === 2 && seen;
    });
    expect(lines).toEqual([files, files]);
    const missing = await hob.post('/api/open-folder', { path: join(files, 'b.png') });
    expect({ status: missing.status, code: missing.body.code }).toEqual({
      status: 404,
      code: 'folder-missing',
    });
    for (const path of ['files', '', 7, null, `${files}\0`, 'file:///etc']) {
      const { status, body } = await hob.post('/api/open-folder', { path });
      expect({ path, status, code: body.code }).toEqual({ path, status: 400, code: 'field-invalid' });
    }
    expect(await linesOf(opened)).toHaveLength(2);
  });

  it('reports that the desktop refused, and where the folder is', async () => {
    const { hob, files } = await startAtDesk('exit 4');
    const { status, body } = await hob.post('/api/open-folder', { path: files }, { 'accept-language': 'zh' });
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        status: 'error',
        code: 'desktop-unavailable',
        message: '无法显示文件夹：xdg-open: exit code 4',
        hint: `它位于运行 Hob 的机器上：${files}`,
      },
    });
  });

  it('reports that there is no desktop', async () => {
    const hob = await startHob();
    const { status, body } = await hob.post('/api/open-folder', { path: '/' });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'desktop-unavailable' });
    expect(body.message).toContain('WAYLAND_DISPLAY');
  });
});
