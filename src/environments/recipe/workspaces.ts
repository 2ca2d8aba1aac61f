import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { isJsonObject, type Json } from '../../shared/json.ts';
import type { Findings } from './findings.ts';
import { leftOut } from './local-packages.ts';
import { takeFolder } from './take-folder.ts';

/**
 * Returns the folders that `workspaces` names, relative to the folder of the script. npm must find them for entries in `dependencies`:
 * otherwise it would install a package of the same name from the registry, from any author.
 */
export async function readWorkspaces(
  file: string,
  value: Json | undefined,
  findings: Findings,
): Promise<string[]> {
  const written = isJsonObject(value) ? value.packages : value;
  const folders = new Set<string>();
  for (const pattern of Array.isArray(written) ? written.map(String) : []) {
    for (const path of await expand(file, pattern, findings)) {
      const inside = findings.nameOf(path);
      if (!inside) report(file, pattern, findings);
      else if ((await findings.read(join(path, 'package.json'))).kind === 'content') folders.add(inside);
    }
  }
  const found = [...folders].sort();
  for (const folder of found) await takeFolder(join(findings.folder, folder), findings, leftOut);
  return found;
}

/** A folder, or with a trailing star all folders in it. */
async function expand(file: string, pattern: string, findings: Findings): Promise<string[]> {
  const [, parent] = /^(.+)\/\*\/?$/.exec(pattern) ?? [];
  const path = resolve(findings.folder, parent ?? pattern);
  if (/[*?[\]{}()!]/.test(parent ?? pattern)) {
    report(file, pattern, findings);
    return [];
  }
  if (parent === undefined) return [path];
  findings.looked.add(path);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !leftOut.test(entry.name))
    .map(({ name }) => join(path, name));
}

function report(file: string, pattern: string, findings: Findings): void {
  findings.error(
    file,
    null,
    {
      en: `The workspace "${pattern}" is not a folder inside the folder of the script`,
      zh: `工作区 “${pattern}” 不是脚本文件夹内的文件夹`,
    },
    {
      en: 'Name each folder, or all folders inside one: "packages/*".',
      zh: '请逐一写出文件夹，或用 "packages/*" 表示其中全部。',
    },
  );
}
