import { once } from 'node:events';
import { cp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { launchHob, startHob, tempFolder } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere } from '../support/until.ts';

describe('a queued run', () => {
  it('gets the address of the next service and the current folder of its script', async () => {
    const [home, before, after, files] = await Promise.all([0, 1, 2, 3].map(() => tempFolder()));
    if (!home || !before || !after || !files) throw new Error('missing folders');
    const holder = await writeScript(before, 'holder', {
      entry: bash(
        `touch "${files}/holds"; while [ -d "${files}" ] && [ ! -e "${files}/go" ]; do sleep 0.02; done`,
      ),
    });
    const waiter = await writeScript(before, 'waiter', {
      language: 'python',
      entry: python(`
answer = urllib.request.urlopen(env["api_base"] + "/api/health").status
write({"code": 0, "msg": "%s %s %s" % (env["script_dir"], answer, run["params"]["word"])})
`),
    });
    const settings = 'max_runs = 1\n';
    const old = await launchHob({ home, scripts: [before], settings });
    await old.post('/api/execute', { script_id: holder });
    await fileThere(join(files, 'holds'));
    const queued = await old.post('/api/execute', { script_id: waiter, params: { word: '字' } });
    await old.stop();

    const neighbour = createServer().listen(Number(new URL(old.url).port), '127.0.0.1');
    await once(neighbour, 'listening');
    onTestFinished(() => void neighbour.close());
    await cp(before, after, { recursive: true });
    await rm(before, { recursive: true });
    const hob = await startHob({ home, scripts: [after], settings });
    expect(hob.url).not.toBe(old.url);
    await writeFile(join(files, 'go'), '');
    expect(await hob.ended(String(queued.body.run_id))).toMatchObject({
      state: 'succeeded',
      result: { msg: `${join(after, 'waiter')} 200 字` },
    });
  });
});
