import { join } from 'node:path';

import { isJsonObject, type Json, tryParseJson } from '../../shared/json.ts';
import { makePrivateFolder, replacePrivateFile } from '../../shared/private-files.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import { userError } from '../user-error.ts';

/** A key that the user bound to a script. */
export interface BoundKey {
  readonly desktop: 'gnome' | 'xfce';
  readonly keys: string;
  /** The command that the desktop starts. An update of Hob or of Node may change it. */
  readonly command: string;
}

/** The entries that Hob added for a script. */
export interface InstalledEntry {
  readonly id: string;
  /** The slug and the name at the time, to describe an entry whose script is gone. */
  readonly slug: string;
  readonly label: string;
  /** Whether the script is to have entries. Otherwise, only a key is bound to it. */
  readonly isInMenus: boolean;
  readonly files: readonly string[];
  /** The file of Thunar that contains its actions. */
  readonly thunar: string | null;
  /** Keys in the registry of Windows. */
  readonly registry: readonly string[];
  readonly key: BoundKey | null;
}

export interface InstalledMenus {
  readonly entries: readonly InstalledEntry[];
  /** Ids of the user's own scripts whose entries the user removed. */
  readonly leftOut: readonly string[];
}

const mostBytes = 16 * 1024 * 1024;
const format = 1;

function fileIn(home: string): string {
  return join(home, 'menus.json');
}

/** Reads which entries Hob added. */
export async function readInstalledMenus(home: string): Promise<InstalledMenus> {
  const file = fileIn(home);
  const read = await readRegularFile(file, { maxBytes: mostBytes });
  if (read.kind === 'missing') return { entries: [], leftOut: [] };
  const content = read.kind === 'content' ? tryParseJson(read.bytes.toString()) : undefined;
  if (!isJsonObject(content) || content.format !== format || !Array.isArray(content.entries))
    throw userError(
      `Cannot read ${file}, which lists the entries that Hob added to menus. Correct or remove it, then try again.`,
      `无法读取 ${file}，其中记录了 Hob 添加到菜单中的条目。请修正或删除它后重试。`,
    );
  return { entries: content.entries.flatMap(readEntry), leftOut: textsIn(content.left_out) };
}

export async function writeInstalledMenus(home: string, { entries, leftOut }: InstalledMenus): Promise<void> {
  const content = {
    format,
    entries: entries.map(({ isInMenus, ...entry }) => ({ ...entry, is_in_menus: isInMenus })),
    left_out: leftOut,
  };
  await makePrivateFolder(home, { existing: true });
  await replacePrivateFile(fileIn(home), `${JSON.stringify(content, null, 2)}\n`);
}

function readEntry(item: Json): InstalledEntry[] {
  if (!isJsonObject(item)) return [];
  const { id, slug, label, is_in_menus, files, thunar, registry, key } = item;
  if (typeof id !== 'string' || typeof slug !== 'string' || typeof label !== 'string') return [];
  return [
    {
      id,
      slug,
      label,
      isInMenus: is_in_menus === true,
      files: textsIn(files),
      thunar: typeof thunar === 'string' ? thunar : null,
      registry: textsIn(registry),
      key: readKey(key),
    },
  ];
}

function readKey(key: Json | undefined): BoundKey | null {
  if (!isJsonObject(key) || typeof key.keys !== 'string' || typeof key.command !== 'string') return null;
  const { desktop, keys, command } = key;
  return desktop === 'gnome' || desktop === 'xfce' ? { desktop, keys, command } : null;
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
