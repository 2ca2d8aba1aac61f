import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { has } from '../../../test/support/needs.ts';
import { startShell } from '../../../test/support/shells.ts';
import { awaitOrphan } from './await-orphan.ts';

const hasProc = has('/proc', existsSync('/proc/self/stat'));

describe.skipIf(!hasProc)('a process that is nobody’s child any more', () => {
  it('is waited for, and ends with the code that it has left', async () => {
    const lastWord = join(await tempFolder(), 'end');
    const { pid, startTicks, tell } = startShell('read go');
    const end = awaitOrphan(pid, { startTicks, lastWord });
    await writeFile(lastWord, '3');
    tell('go');
    expect(await end).toEqual({ code: 3, signal: null, error: null, isUnseen: false });
    expect(existsSync(lastWord)).toBe(false);
  });

  it('has an end that nobody saw, when it has left nothing', async () => {
    const lastWord = join(await tempFolder(), 'end');
    const { pid, startTicks, child } = startShell('read go');
    child.kill('SIGKILL');
    const end = await awaitOrphan(pid, { startTicks, lastWord });
    expect(end).toEqual({ code: null, signal: null, error: null, isUnseen: true });
  });

  it('is not taken for another that has got its id', async () => {
    const lastWord = join(await tempFolder(), 'end');
    const { pid, startTicks } = startShell('read go');
    expect(await awaitOrphan(pid, { startTicks: startTicks - 1, lastWord })).toMatchObject({
      isUnseen: true,
    });
  });
});
