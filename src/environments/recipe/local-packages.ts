import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import type { Advised } from '../../scripts/script.ts';
import { decodeFileText } from '../../shared/decode-text.ts';
import { isJsonObject, type Json } from '../../shared/json.ts';
import type { Text } from '../../shared/text.ts';
import { type Findings, takeFolder } from './findings.ts';

const mostPackages = 200;
/** Folders of npm and git, which are not part of a package. */
export const leftOut = /^(?:node_modules|\.git)$/;

interface LocalPackages {
  /** Relative to the folder of the script, with forward slashes. */
  readonly copies: readonly string[];
  /** Replacements for ranges that only other tools understand. */
  readonly renamed: Readonly<Record<string, string>>;
}

/** Local packages that package.json names, and those that they name. */
export async function readLocalPackages(
  file: string,
  wanted: Readonly<Record<string, string>>,
  findings: Findings,
): Promise<LocalPackages> {
  const copies = new Set<string>();
  const renamed: Record<string, string> = {};
  const pending = Object.entries(wanted).map(([name, range]) => ({ file, name, range }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const protocol = /^(workspace|portal|catalog|patch):/.exec(next.range)?.[1];
    if (protocol !== undefined) findings.error(next.file, null, unsupported(next.name, protocol));
    const written = localRange(next.range);
    if (written === null) continue;
    if (next.file === file && next.range.startsWith('link:')) renamed[next.name] = `file:${written}`;
    const path = resolve(dirname(next.file), written);
    const inside = findings.nameOf(path);
    if (inside === null || inside === '') {
      findings.error(next.file, null, outside(next.name, written));
      continue;
    }
    if (copies.has(inside) || copies.size >= mostPackages) continue;
    copies.add(inside);
    const found = await stat(path).catch(() => null);
    if (found === null) {
      findings.looked.add(path);
      findings.error(next.file, null, missing(next.name, written));
    } else if (found.isDirectory()) {
      await takeFolder(path, findings, leftOut);
      const inner = join(path, 'package.json');
      pending.push(
        ...(await rangesIn(inner, findings)).map(([name, range]) => ({ file: inner, name, range })),
      );
    } else {
      await findings.take(path);
    }
  }
  return { copies: [...copies].sort(), renamed };
}

function localRange(range: string): string | null {
  const named = /^(?:file|link):(.*)$/s.exec(range)?.[1];
  if (named !== undefined) return named.replace(/^\/\/(?=\.)/, '');
  const isPath = /^(?:\.{1,2}[\\/]|~[\\/]|[\\/]|[A-Za-z]:[\\/])/.test(range);
  // An archive name; with a folder before it, npm takes it for a repository.
  return isPath || /^[^\\/:@]+\.(?:tgz|tar\.gz|tar)$/i.test(range) ? range : null;
}

async function rangesIn(file: string, findings: Findings): Promise<[string, string][]> {
  const result = await findings.read(file);
  if (result.kind !== 'content') return [];
  try {
    const whole: unknown = JSON.parse(decodeFileText(result.bytes));
    const lists = isJsonObject(whole) ? [whole.dependencies, whole.optionalDependencies] : [];
    return lists.flatMap((list) =>
      Object.entries(isJsonObject(list) ? list : {}).flatMap(([name, range]): [string, string][] =>
        typeof range === 'string' ? [[name, range]] : [],
      ),
    );
  } catch {
    // npm reports the problem.
    return [];
  }
}

function outside(name: string, written: string): Text & Advised {
  return {
    en: `The package "${name}" is at ${written}, outside the folder of the script`,
    zh: `包 “${name}” 位于 ${written}，在脚本文件夹之外`,
    advice: {
      en: 'Move it into the folder, or use a package from a registry. A script must contain everything it needs.',
      zh: '请将其移入脚本文件夹，或改用仓库中的版本：脚本需要自带所需内容。',
    },
  };
}

function missing(name: string, written: string): Text & Advised {
  return {
    en: `The package "${name}" does not exist at ${written}`,
    zh: `包 “${name}” 不在 ${written}`,
    advice: { en: 'Add it, or correct the path.', zh: '请补上该包，或更正路径。' },
  };
}

function unsupported(name: string, protocol: string): Text & Advised {
  return {
    en: `The package "${name}" uses "${protocol}:", which npm does not support`,
    zh: `包 “${name}” 使用了 npm 不支持的 “${protocol}:”`,
    advice: {
      en: 'Write a version range, or "file:" and a path inside the folder.',
      zh: '请改为版本范围，或 “file:” 加文件夹内的路径。',
    },
  };
}

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
      if (!inside) findings.error(file, null, notAWorkspace(pattern));
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
    findings.error(file, null, notAWorkspace(pattern));
    return [];
  }
  if (parent === undefined) return [path];
  findings.looked.add(path);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !leftOut.test(entry.name))
    .map(({ name }) => join(path, name));
}

function notAWorkspace(pattern: string): Text & Advised {
  return {
    en: `The workspace "${pattern}" is not a folder inside the folder of the script`,
    zh: `工作区 “${pattern}” 不是脚本文件夹内的文件夹`,
    advice: {
      en: 'Name each folder, or all folders inside one: "packages/*".',
      zh: '请逐一写出文件夹，或用 "packages/*" 表示其中全部。',
    },
  };
}
