import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { errnoOf } from '../shared/errors.ts';
import { ExplainedError } from '../shared/explained-error.ts';
import { claimPrivateFile } from '../shared/private-files.ts';

/** The last upgrade and the one before can be undone. */
const keptCopies = 2;

/**
 * Copies the database before a migration, to a private file next to it: `hob.db.schema-5-20270131T093000Z`. The copy is complete and on
 * the disk when this returns its path. Older copies are removed.
 */
export function copyDatabase(database: DatabaseSyncInstance, path: string, schema: number): string {
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const copy = `${path}.schema-${schema}-${date}`;
  const draft = `${path}.schema-copy`;
  try {
    // A process that was killed left it.
    removeDraft(draft);
    claimPrivateFile(draft);
    database.prepare('VACUUM INTO ?').run(draft);
    sync(draft, 'r+');
    renameSync(draft, copy);
    // Windows cannot open a folder.
    if (process.platform !== 'win32') sync(dirname(path), 'r');
  } catch (error) {
    try {
      removeDraft(draft);
    } catch {
      // The first error counts, and the next start removes the draft.
    }
    throw cannotCopy(path, error);
  }
  removeOldCopies(path);
  return copy;
}

/** SQLite would apply a journal that was left behind to the next draft. */
function removeDraft(draft: string): void {
  for (const file of [draft, `${draft}-journal`]) rmSync(file, { force: true });
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const fd = openSync(path, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeOldCopies(path: string): void {
  const prefix = `${basename(path)}.schema-`;
  const dated = readdirSync(dirname(path)).flatMap((name) => {
    const date = name.startsWith(prefix) ? /^\d+-(\d{8}T\d{6}Z)$/.exec(name.slice(prefix.length))?.[1] : null;
    return date ? [{ name, date }] : [];
  });
  dated.sort((one, other) => (one.date < other.date ? 1 : -1));
  for (const { name } of dated.slice(keptCopies)) rmSync(join(dirname(path), name));
}

function cannotCopy(path: string, error: unknown): unknown {
  const sqlite =
    error instanceof Error && 'sqliteCodeName' in error ? String(error.sqliteCodeName) : undefined;
  const reason = sqlite ?? errnoOf(error);
  if (reason === undefined) return error;
  return new ExplainedError({
    en:
      `Hob cannot copy its database ${path} before the upgrade (${reason}), so it did not start and changed nothing. ` +
      'Make sure that the disk has room for a second copy and that you can write to the folder, then start Hob again.',
    zh:
      `升级之前无法备份数据库 ${path}（${reason}），因此 Hob 没有启动，也没有做任何更改。` +
      '请确认磁盘有足够的空间、您有权写入该文件夹，然后重新启动 Hob。',
  });
}
