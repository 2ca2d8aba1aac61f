import { readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** In a folder for files that lie outside of the home: the link that leads back there. */
export function homeLinkIn(folder: string): string {
  return join(folder, 'home');
}

/** The home that a folder belongs to; null when the folder does not say so. */
export function linkedHome(folder: string): string | null {
  try {
    return readlinkSync(homeLinkIn(folder));
  } catch {
    return null;
  }
}
