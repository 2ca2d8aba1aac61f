import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';

import { claimPrivateFile } from '../shared/private-files.ts';

export interface HomeLock {
  release(): void;
}

/**
 * Makes sure that one service at a time works with a home; null when another does. SQLite's exclusive lock is the operating
 * system's own and dies with its holder, so a killed service leaves nothing behind that would have to be cleared away.
 */
export function lockHome(home: string): HomeLock | null {
  const path = join(home, 'service.lock');
  claimPrivateFile(path);
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return null;
    throw error;
  }
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}
