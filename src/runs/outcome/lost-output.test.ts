import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { endWithoutProcess } from '../../execution/messages.ts';
import { runFolderAt } from '../parameter-file.ts';
import { withKeptOutput } from './lost-output.ts';

async function lostRun() {
  const folder = runFolderAt(await tempFolder(), 'run');
  mkdirSync(folder.path);
  return { folder, end: endWithoutProcess('run', 'lost') };
}

const nothing = { bytes: 0, headBytes: 0, tailBytes: 0 };

describe('the output of a lost run', () => {
  it('is what is in its logs', async () => {
    const { folder, end } = await lostRun();
    writeFileSync(folder.stdoutLog, 'twelve bytes');
    writeFileSync(folder.stderrLog, '三');
    expect(await withKeptOutput(end, folder)).toEqual({
      ...end,
      stdout: { bytes: 12, headBytes: 12, tailBytes: 0 },
      stderr: { bytes: 3, headBytes: 3, tailBytes: 0 },
    });
  });

  it('is nothing where there is no log, or an empty one', async () => {
    const { folder, end } = await lostRun();
    writeFileSync(folder.stderrLog, '');
    expect(await withKeptOutput(end, folder)).toEqual({ ...end, stdout: nothing, stderr: nothing });
  });

  it('is nothing when its folder is gone', async () => {
    const { end } = await lostRun();
    const folder = runFolderAt(await tempFolder(), 'never made');
    expect(await withKeptOutput(end, folder)).toEqual(end);
  });

  it('is nothing of what the script has put in the place of a log', async () => {
    const { folder, end } = await lostRun();
    mkdirSync(folder.stdoutLog);
    symlinkSync('/etc/passwd', folder.stderrLog);
    expect(await withKeptOutput(end, folder)).toEqual({ ...end, stdout: nothing, stderr: nothing });
  });
});
