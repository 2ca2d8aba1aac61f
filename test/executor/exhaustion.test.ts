import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { launchHob, projectRoot, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

it.skipIf(!canMount)(
  'a full disk causes 503 in the error form, leaves nothing half-written, and recovers',
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
      // A notification can be shown without being stored.
      const news = { notify_type: 'info', message: '好'.repeat(1000) };
      for (let count = 0; count < 150; count++) {
        const { status, body } = await hob.post('/api/notify', news);
        expect([status, body]).toEqual([200, { success: true }]);
      }
      expect(hob.log()).toContain('cannot store notifications');
      expect((await hob.get('/api/notifications')).status).toBe(200);
      // A nearly full disk is worse than a full one, because one write succeeds and the next fails.
      for (const spare of [8, 16, 32, 64]) {
        // Writes that failed before are repeated as soon as there is space.
        await until('the disk is nearly full', async () => {
          await rm(join(home, 'filler'), { force: true });
          const { bavail, bsize } = await statfs(home);
          const room = Math.max(0, bavail * bsize - spare * 1024);
          return writeFile(join(home, 'filler'), Buffer.alloc(room)).then(
            () => true,
            () => false,
          );
        });
        const answers = await Promise.all(Array.from({ length: 12 }, () => hob.run(id)));
        for (const { status, body } of answers) {
          expect([200, 503]).toContain(status);
          if (status === 503) expect(body).toEqual({ status: 'error', message: expect.any(String) });
        }
      }
      expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
      await rm(join(home, 'filler'));
      expect((await hob.run(id)).body).toMatchObject({ success: true, message: 'ok' });
      await hob.post('/api/notify', { notify_type: 'info', message: 'room again' });
      const { items } = (await hob.get('/api/notifications')).body;
      expect(items).toMatchObject({ 0: { message: 'room again' } });
    } finally {
      await hob.stop();
    }
  },
);

const hasFullDevice = has('/dev/full', existsSync('/dev/full'));

it.skipIf(!hasFullDevice)('a log that cannot be written does not stop the service', async () => {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'script', {
    entry: bash('echo \'{"code":0,"msg":"ok"}\' > "$output"'),
  });
  const home = await tempFolder();
  const command = `exec "${process.execPath}" "${join(projectRoot, 'bin', 'hob.js')}" serve --home "${home}" --port 0 --scripts "${scripts}" 2> /dev/full`;
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk))),
  );
  const url = line.trim().split(' ').at(-1);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      fetch(`${url}/api/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ script_id: id, sync: true }),
      }).then((response) => response.json()),
    ),
  );
  expect(answers).toEqual(Array(20).fill(expect.objectContaining({ message: 'ok' })));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

const canLimit = has('prlimit', findProgram('prlimit') !== null);

it.skipIf(!canLimit)(
  'idle connections are closed before they use up the file handles that runs need',
  async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'script', {
      entry: bash('echo \'{"code":0,"msg":"ok"}\' > "$output"'),
    });
    const home = await tempFolder();
    const hob = await launchHob({ home, scripts: [scripts], wrapper: ['prlimit', '--nofile=256:256'] });
    try {
      const { port } = new URL(hob.url);
      const callers: Socket[] = [];
      let closed = 0;
      for (let count = 0; count < 200; count++) {
        const caller = connect(Number(port), '127.0.0.1');
        callers.push(caller);
        caller.on('error', () => {});
        caller.once('close', () => closed++);
        caller.write(`GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
        await once(caller, 'data');
      }
      await until('most of them are closed', async () => closed >= 130);
      expect((await hob.run(id)).body).toMatchObject({ success: true });
      for (const caller of callers) caller.destroy();
    } finally {
      await hob.stop();
    }
  },
);

it('reports too few file handles at start in one line', async () => {
  const command = `ulimit -n 40; exec "${process.execPath}" "${join(projectRoot, 'bin', 'hob.js')}" serve --home "${await tempFolder()}" --port 0`;
  const { status, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^hob: Not enough file handles to start\. .*ulimit -n.*\n$/);
});
