import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Hob, startHob, tempFolder, untilGone } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';
import { runWarm } from '../support/warm-service.ts';

const isHere = has('Linux', process.platform === 'linux');
const hasPython = has('Python on Linux', isHere && findProgram('python3') !== null);

async function recordOf(hob: Hob, headers: Headers): Promise<Record<string, unknown>> {
  return (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
}

describe.skipIf(!isHere)('the first record of an ended run', () => {
  it('says that the script left no process running', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'tidy', { entry: bash('(exit 3) & wait') });
    const hob = await startHob({ scripts: [scripts] });
    for (let count = 0; count < 3; count++) {
      const { headers } = await hob.run(id);
      expect(await recordOf(hob, headers)).toMatchObject({ state: 'succeeded', left_running: 0 });
    }
  });

  it.skipIf(!hasPython)('says so for a warm run, whose parent is another process', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'warm', { language: 'python', entry: python('print(1)') });
    const hob = await startHob({ scripts: [scripts] });
    const { headers } = await runWarm(hob, id);
    expect(await recordOf(hob, headers)).toMatchObject({ state: 'succeeded', left_running: 0 });
  });

  it('does not say so while another script has left one, which is counted for the right run', async () => {
    const [scripts, files] = [await tempFolder(), await tempFolder()];
    const pidFile = join(files, 'pid');
    const leaver = await writeScript(scripts, 'leaver', {
      entry: bash(`
(setsid sh -c 'echo $$ > "${pidFile}"; exec sleep 600' < /dev/null > /dev/null 2>&1 &)
while [ ! -s "${pidFile}" ]; do sleep 0.01; done
`),
    });
    const tidy = await writeScript(scripts, 'tidy', { entry: bash('exit 0') });
    const hob = await startHob({ scripts: [scripts] });
    const counted = (headers: Headers) =>
      until('its processes are counted', async () => {
        const record = await recordOf(hob, headers);
        return record.left_running !== null && record;
      });
    const first = await hob.run(leaver);
    const second = await hob.run(tidy);
    expect(await counted(first.headers)).toMatchObject({ left_running: 1 });
    expect(await counted(second.headers)).toMatchObject({ left_running: 0 });
    const pid = Number(await readFile(pidFile, 'utf8'));
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    const third = await hob.run(tidy);
    expect(await recordOf(hob, third.headers)).toMatchObject({ left_running: 0 });
  });
});
