import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { RunRemover } from './run-remover.ts';

const ended = { runId: 'run', endedAt: '2024-05-01T12:00:00.000Z' };

/** A remover of a run, whose record can be forgotten when there is room for that. */
async function removerWhere(hasRoom: (folder: string) => boolean) {
  const runsFolder = await tempFolder();
  const folder = join(runsFolder, 'run');
  await mkdir(folder);
  await writeFile(join(folder, 'stdout.log'), 'said');
  const forgetRuns = (runIds: readonly string[]) => {
    if (!hasRoom(folder)) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    return [...runIds];
  };
  const log = pino({ level: 'silent' });
  const closing = new AbortController();
  const options = { removal: { forgetRuns }, runsFolder, log, closing: closing.signal };
  return { runsFolder, closing, remover: new RunRemover(options) };
}

describe('deleting a run', () => {
  it('removes the folder first where that is what makes room to forget the record', async () => {
    const { runsFolder, remover } = await removerWhere((folder) => !existsSync(folder));
    await remover.remove(ended);
    expect(await readdir(runsFolder)).toEqual([]);
  });

  it('says so when there is no room even then, and has freed what it could', async () => {
    const { runsFolder, remover } = await removerWhere(() => false);
    await expect(remover.remove(ended)).rejects.toMatchObject({ code: 'resources-exhausted' });
    expect(await readdir(runsFolder)).toEqual([]);
  });

  it('leaves the folder for the next start when the service stops, for the record is gone', async () => {
    const { runsFolder, closing, remover } = await removerWhere(() => true);
    const removed = remover.remove(ended);
    closing.abort();
    await removed;
    expect(await readdir(runsFolder)).toEqual(['run']);
  });

  it('touches nothing of a run that has not ended', async () => {
    const { runsFolder, remover } = await removerWhere(() => true);
    await expect(remover.remove({ ...ended, endedAt: null })).rejects.toMatchObject({
      code: 'run-not-ended',
    });
    expect(await readdir(runsFolder)).toEqual(['run']);
  });
});
