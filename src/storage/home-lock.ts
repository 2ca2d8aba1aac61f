import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';

import { claimPrivateFile } from '../shared/private-files.ts';

export interface HomeLock {
  release(): void;
}

/**
 * Ensures that only one service uses a home; null if another service does. SQLite's exclusive lock belongs to the
 * operating system and ends with its process, so a killed service leaves nothing to clean up.
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
