import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { RunRemover } from './run-remover.ts';

const ended = { runId: 'run', endedAt: '2024-05-01T12:00:00.000Z' };

/** A remover of a run. Its record can be removed when `hasRoom` returns true. */
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
  it('removes the folder first if that frees the space to remove the record', async () => {
    const { runsFolder, remover } = await removerWhere((folder) => !existsSync(folder));
    await remover.remove(ended);
    expect(await readdir(runsFolder)).toEqual([]);
  });

  it('reports missing space even then, after freeing what it could', async () => {
    const { runsFolder, remover } = await removerWhere(() => false);
    await expect(remover.remove(ended)).rejects.toMatchObject({ code: 'resources-exhausted' });
    expect(await readdir(runsFolder)).toEqual([]);
  });

  it('leaves the folder for the next start when the service stops, because the record is removed', async () => {
    const { runsFolder, closing, remover } = await removerWhere(() => true);
    const removed = remover.remove(ended);
    closing.abort();
    await removed;
    expect(await readdir(runsFolder)).toEqual(['run']);
  });

  it('changes nothing of a run that has not ended', async () => {
    const { runsFolder, remover } = await removerWhere(() => true);
    await expect(remover.remove({ ...ended, endedAt: null })).rejects.toMatchObject({
      code: 'run-not-ended',
    });
    expect(await readdir(runsFolder)).toEqual(['run']);
  });
});
