import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { launchHob, tempFolder } from './support/hob.ts';
import { has } from './support/needs.ts';
import { bash, writeScript } from './support/scripts.ts';

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

it.skipIf(!canMount)(
  'a full disk is 503 in the error form, leaves nothing half-written, and passes',
  async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'script', {
      entry: bash('echo \'{"code":0,"msg":"ok"}\' > "$output"'),
    });
    const home = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs', home]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', home]);
    });
    const hob = await launchHob({ home, scripts: [scripts] });
    try {
      expect((await hob.run(id)).status).toBe(200);
      const folders = (await readdir(join(home, 'runs'))).length;
      await writeFile(join(home, 'filler'), Buffer.alloc(8 * 1024 * 1024)).catch(() => {});
      for (const sync of [true, false]) {
        const answer = await hob.post('/api/execute', { script_id: id, sync });
        expect({ status: answer.status, body: answer.body }).toEqual({
          status: 503,
          body: { status: 'error', message: expect.any(String) },
        });
        expect(answer.headers.get('x-hob-error')).toBe('resources-exhausted');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(await readdir(join(home, 'runs'))).toHaveLength(folders);
      expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
      await rm(join(home, 'filler'));
      expect((await hob.run(id)).body).toMatchObject({ success: true, message: 'ok' });
    } finally {
      await hob.stop();
    }
  },
);
