import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/support/hob.ts';
import { runFolderAt } from './run.ts';
import { addRunNote, readRunNotes } from './run-notes.ts';

const at = new Date('2026-01-02T03:04:05.678Z');

async function makeFolder() {
  const folder = runFolderAt(await tempFolder(), 'a-run');
  await mkdir(folder.path);
  return folder;
}

describe('the notes of a run', () => {
  it('are stored one per line, readable only by the user', async () => {
    const folder = await makeFolder();
    await addRunNote(folder, at, 'no window: 没有桌面');
    await addRunNote(folder, at, 'another');
    const stamp = at.toISOString();
    expect(await readRunNotes(folder)).toBe(`${stamp} no window: 没有桌面\n${stamp} another\n`);
    expect((await stat(folder.notesLog)).mode & 0o777).toBe(0o600);
  });

  it('are empty if none were written', async () => {
    expect(await readRunNotes(await makeFolder())).toBe('');
  });

  it('do not follow a link that a script put in their place', async () => {
    const folder = await makeFolder();
    const elsewhere = join(await tempFolder(), 'elsewhere');
    await writeFile(elsewhere, 'private');
    await symlink(elsewhere, folder.notesLog);
    await expect(addRunNote(folder, at, 'a note')).rejects.toThrow('ELOOP');
    expect(await readRunNotes(folder)).toBe('');
  });
});
