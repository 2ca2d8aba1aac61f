import { extname } from 'node:path';

import { readRegularFile } from '../shared/read-regular-file.ts';
import { realFileInside } from './confine.ts';
import type { Script } from './script.ts';

/** Larger ones are pictures, and no icons. */
const maxBytes = 1024 * 1024;

const types: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.svg', 'image/svg+xml'],
  ['.ico', 'image/x-icon'],
]);

export interface Icon {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The icon of a script, from inside its folder; null when there is none that can be shown. */
export async function readIcon({ folder, icon }: Pick<Script, 'folder' | 'icon'>): Promise<Icon | null> {
  if (icon === null) return null;
  const file = await realFileInside(folder, icon);
  // What counts is what the file is called where it really is: a link called icon.png may lead to anything in the folder.
  const type = file === null ? undefined : types.get(extname(file).toLowerCase());
  if (file === null || type === undefined) return null;
  const read = await readRegularFile(file, { maxBytes });
  return read.kind === 'content' ? { type, bytes: read.bytes } : null;
}
