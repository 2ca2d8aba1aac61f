import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { openTerminalRun, type } from '../support/page-terminal.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { fileThere } from '../support/until.ts';

/** The longest path in a Linux socket address, including the final zero byte. */
const socketPathBytes = 108;

const longNames = {
  'plain letters': 'a-very-long-name'.repeat(7),
  'Chinese letters and spaces': '很长 的 路径 '.repeat(8).trim(),
};

describe.each(Object.entries(longNames))('a home with a long path of %s', (_kind, name) => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'survives the cleanup of temporary folders and %s of its service',
    async (signal) => {
      const [scripts, notes, temp] = [await tempFolder(), await tempFolder(), await tempFolder()];
      const home = join(await tempFolder(), name);
      expect(Buffer.byteLength(home)).toBeGreaterThan(socketPathBytes);
      await mkdir(home, { mode: 0o700 });
      const id = await writeScript(scripts, 'lasting', {
        entry: bash(`touch "${notes}/started"; until [ -e "${notes}/go" ]; do sleep 0.02; done; exit 7`),
      });
      const service = await startRestartable({ home, scripts: [scripts], env: { TMPDIR: temp } });
      const { body } = await service.hob.post('/api/execute', { script_id: id });
      const runId = String(body.run_id);
      await fileThere(join(notes, 'started'));

      await service.restart(signal, async () => {
        for (const entry of await readdir(temp)) await rm(join(temp, entry), { recursive: true });
      });
      expect((await service.hob.get(`/api/runs/${runId}`)).body).toMatchObject({ state: 'running' });
      await writeFile(join(notes, 'go'), '');
      expect(await service.hob.ended(runId)).toMatchObject({ end_cause: 'exit', exit_code: 7 });
      expect(await readdir(temp)).toEqual([]);
    },
  );

  it('opens a terminal for a page', async () => {
    const [scripts, home] = [await tempFolder(), join(await tempFolder(), name)];
    const id = await writeScript(scripts, 'asking', { entry: bash('read -r code; exit "$code"') });
    const { hob } = await startRestartable({ home, scripts: [scripts] });
    const runId = await openTerminalRun(hob, id);
    await type(hob, runId, '5\r');
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'exit', exit_code: 5 });
  });
});
