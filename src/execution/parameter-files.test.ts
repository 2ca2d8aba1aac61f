import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { asOrdinaryUser, canBecomeOrdinary, ordinaryUser } from '../../test/support/ordinary-user.ts';
import { until } from '../../test/support/until.ts';
import { ParameterFiles } from '../execution/parameter-files.ts';

const canLock = has('another user, for permissions (root on Linux)', canBecomeOrdinary);

const runIds = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`);

async function setUp() {
  const runsFolder = await tempFolder();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const fileOf = (name: string) => join(runsFolder, name, 'params.json');
  const write = async (name: string) => {
    await mkdir(join(runsFolder, name), { recursive: true });
    await writeFile(fileOf(name), 'secret');
  };
  for (const runId of runIds) await write(runId);
  return { runsFolder, lines, fileOf, write, files: new ParameterFiles({ runsFolder, log }) };
}

describe('the parameter files of earlier services', () => {
  it('are removed, except those of live runs', async () => {
    const { files, fileOf } = await setUp();
    await files.sweep(runIds, { isLive: (runId) => runId === runIds[1], isAwaited: () => false });
    expect(runIds.map((runId) => existsSync(fileOf(runId)))).toEqual([false, true, false]);
  });

  it('are not removed from folders with other names or behind links', async () => {
    const { files, fileOf, write, runsFolder } = await setUp();
    await write('of others');
    const link = '44444444-1111-4111-8111-111111111111';
    await symlink(join(runsFolder, 'of others'), join(runsFolder, link));
    await files.sweep(['of others', link], { isLive: () => false, isAwaited: () => false });
    expect(existsSync(fileOf('of others'))).toBe(true);
  });
});

describe('a parameter file that cannot be removed', () => {
  it.skipIf(!canLock)('is logged once, and retried until it is removed', async () => {
    const { runsFolder, lines, fileOf, files } = await setUp();
    const [runId = ''] = runIds;
    const folder = join(runsFolder, runId);
    await chmod(runsFolder, 0o755);
    await chmod(folder, 0o755);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    await asOrdinaryUser(() => files.remove(runId));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ run: runId, msg: 'cannot remove a parameter file yet' }),
    ]);
    await asOrdinaryUser(async () => {
      vi.advanceTimersToNextTimer();
      await until('it was tried again', async () => vi.getTimerCount() === 1);
    });
    expect([existsSync(fileOf(runId)), lines.length]).toEqual([true, 1]);

    await chown(folder, ordinaryUser, ordinaryUser);
    vi.advanceTimersToNextTimer();
    await until('it is gone', async () => !existsSync(fileOf(runId)));
    expect([vi.getTimerCount(), lines.length]).toEqual([0, 1]);
  });
});
