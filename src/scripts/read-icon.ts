import { extname } from 'node:path';
import { realFileInside } from '../shared/private-files.ts';
import { readRegularFile } from '../shared/read-regular-file.ts';
import type { Script } from './script.ts';

/** Larger images are not icons. */
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

/** Reads the icon of a script from its folder; null if there is no usable one. */
export async function readIcon({ folder, icon }: Pick<Script, 'folder' | 'icon'>): Promise<Icon | null> {
  if (icon === null) return null;
  const file = realFileInside(folder, icon);
  // Use the extension of the real file: a link called icon.png may point to any file in the folder.
  const type = file === null ? undefined : types.get(extname(file).toLowerCase());
  if (file === null || type === undefined) return null;
  const read = await readRegularFile(file, { maxBytes });
  return read.kind === 'content' ? { type, bytes: read.bytes } : null;
}
