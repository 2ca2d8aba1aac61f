import { Buffer } from 'node:buffer';
import { join } from 'node:path';

import type { DesktopSession } from '../../settings/desktop-session.ts';
import { shellWord } from '../command-lines.ts';
import {
  type EntryFile,
  type Launch,
  type MenuScript,
  markOf,
  menuRunWords,
  type VariableSource,
} from './menu-script.ts';

/** The scripts of Nautilus. Its menu shows the names of the files, without a filter. */
export function nautilusFiles(script: MenuScript, launch: Launch, { dataHome }: DesktopSession): EntryFile[] {
  return scriptFiles(script, launch, { folder: join(dataHome, 'nautilus', 'scripts'), from: 'nautilus' });
}

export function cajaFiles(script: MenuScript, launch: Launch, { configHome }: DesktopSession): EntryFile[] {
  return scriptFiles(script, launch, { folder: join(configHome, 'caja', 'scripts'), from: 'caja' });
}

function scriptFiles(
  { id, slug, label, menu }: MenuScript,
  launch: Launch,
  { folder, from }: { folder: string; from: VariableSource },
): EntryFile[] {
  if (menu === null) return [];
  const words = menuRunWords(launch, id, from).map(shellWord).join(' ');
  const text = `#!/bin/sh\n${markOf(launch, id)}\nexec ${words}\n`;
  return [{ path: join(folder, fileNameOf(label, slug)), text, isProgram: true }];
}

/** Most file systems allow 255 bytes. */
const mostBytes = 200;

/** A file name that looks like the label. A slash becomes a similar character, and hidden files would not be shown. */
function fileNameOf(label: string, slug: string): string {
  const name = label.replaceAll('/', '\u2215').replace(/^\.+/, (dots) => '\u2024'.repeat(dots.length));
  // A backup file would be hidden.
  if (Buffer.byteLength(name) <= mostBytes) return name.endsWith('~') ? `${name} (${slug})` : name;
  // Long names may differ at the end only.
  const end = `… (${slug.slice(0, mostBytes / 2)})`;
  let start = name;
  while (Buffer.byteLength(start + end) > mostBytes) start = [...start].slice(0, -1).join('');
  return start + end;
}
