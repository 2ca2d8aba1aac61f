import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import type { Advised } from '../../scripts/script.ts';
import { decodeFileText } from '../../shared/decode-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { whereNotJson } from '../../shared/scan-json.ts';
import type { Text } from '../../shared/text.ts';
import { type Findings, reportUnreadable, takeFolder } from './findings.ts';
import type { NodeRecipe, RecipeOwner } from './recipe.ts';
import { withoutPassword } from './requirements-file.ts';

const lockNames = ['npm-shrinkwrap.json', 'package-lock.json'];
const foreignLocks = { 'yarn.lock': 'Yarn', 'pnpm-lock.yaml': 'pnpm', 'bun.lock': 'Bun', 'bun.lockb': 'Bun' };

/**
 * The fields of package.json that npm needs. Scripts are excluded, because they expect the folder of the script and would not find its
 * files. Name and version are excluded, because a new version of a script may need the same packages.
 */
const keptFields = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'overrides',
  'bundleDependencies',
  'bundledDependencies',
  'engines',
  'allowScripts',
];

/** Target of a link to the packages of an environment, for any home. */
const ownTarget = /[\\/][0-9a-f]{32}[\\/]b-[0-9a-f]{8}[\\/]node_modules[\\/]?$/;

/** Reads the requirements of a Node.js script. Packages that the user installed stay as they are. */
export async function findNodeRecipe(
  { folder }: RecipeOwner,
  findings: Findings,
): Promise<NodeRecipe | null> {
  const file = join(folder, 'package.json');
  const modules = join(folder, 'node_modules');
  findings.looked.add(modules);
  const result = await findings.read(file);
  if (result.kind === 'missing' || (await isOfUser(modules))) return null;
  if (result.kind !== 'content') {
    reportUnreadable(findings, file, result);
    return null;
  }
  const text = decodeFileText(result.bytes);
  const whole = parsePackage(file, text, findings);
  if (whole === null) return null;
  const wanted = {
    ...readRanges(file, text, 'dependencies', whole.dependencies, findings),
    ...readRanges(file, text, 'optionalDependencies', whole.optionalDependencies, findings),
  };
  const workspaces = await readWorkspaces(file, whole.workspaces, findings);
  if (Object.keys(wanted).length + workspaces.length === 0) return null;

  const { copies, renamed } = await readLocalPackages(file, wanted, findings);
  let lockFile: string | null = null;
  for (const name of lockNames) {
    if (lockFile !== null || (await findings.read(join(folder, name))).kind !== 'content') continue;
    lockFile = name;
    await findings.take(join(folder, name));
  }
  if (lockFile === null) await noteForeignLocks(folder, findings);
  const settings = join(folder, '.npmrc');
  const hasSettings = (await lstat(settings).catch(() => null)) !== null;
  if ((await findings.read(settings)).kind === 'content') await findings.take(settings);
  return {
    kind: 'node',
    file,
    requirements: [
      ...Object.entries(wanted).map(([name, range]) => `${name}@${withoutPassword(range)}`),
      ...workspaces.map((folder) => `./${folder}`),
    ],
    inputs: findings.inputs,
    packageJson: reduce(whole, { renamed, workspaces, hasLock: lockFile !== null }),
    lockFile,
    copies: [
      ...new Set([...copies, ...workspaces]),
      ...(lockFile === null ? [] : [lockFile]),
      ...(hasSettings ? ['.npmrc'] : []),
    ],
  };
}

async function isOfUser(modules: string): Promise<boolean> {
  const found = await lstat(modules).catch(() => null);
  if (found === null) return false;
  if (!found.isSymbolicLink()) return true;
  return !ownTarget.test(await readlink(modules).catch(() => ''));
}

function parsePackage(file: string, text: string, findings: Findings): JsonObject | null {
  try {
    const whole: unknown = JSON.parse(text);
    return isJsonObject(whole) ? whole : {};
  } catch {
    const where = whereNotJson(text);
    findings.error(file, null, {
      en: `Not valid JSON${where.en}`,
      zh: `不是有效的 JSON${where.zh}`,
      advice: { en: 'Correct the syntax there.', zh: '请修正该处的语法。' },
    });
    return null;
  }
}

function readRanges(
  file: string,
  text: string,
  list: string,
  value: Json | undefined,
  findings: Findings,
): Record<string, string> {
  const ranges: Record<string, string> = {};
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  if (value !== undefined && !isJsonObject(value)) reportRange(file, lineOf(text, list), list, findings);
  for (const [name, range] of entries) {
    if (typeof range === 'string' && /^(?:@[^/\s]+\/)?[^/\s@]+$/.test(name)) ranges[name] = range;
    else reportRange(file, lineOf(text, name), name, findings);
  }
  return ranges;
}

function reportRange(file: string, line: number | null, name: string, findings: Findings): void {
  findings.error(file, line, {
    en: `"${name}" is not in the form that npm expects`,
    zh: `“${name}” 的写法不符合 npm 的要求`,
    advice: {
      en: 'Write the name of a package and a version range: "is-odd": "^3.0.1"',
      zh: '请写包名及版本范围，例如 "is-odd": "^3.0.1"',
    },
  });
}

/** The line of a key, as far as it is known without a position parser. */
export function lineOf(text: string, key: string): number | null {
  const index = text.split('\n').findIndex((line) => line.includes(`${JSON.stringify(key)}`));
  return index === -1 ? null : index + 1;
}

interface Reduction {
  readonly renamed: Readonly<Record<string, string>>;
  readonly workspaces: readonly string[];
  readonly hasLock: boolean;
}

function reduce(whole: JsonObject, { renamed, workspaces, hasLock }: Reduction): string {
  // npm compares a lock file with all dependencies, including those that are not installed.
  const names = hasLock ? [...keptFields, 'devDependencies'] : keptFields;
  const kept: JsonObject = workspaces.length === 0 ? {} : { workspaces: [...workspaces] };
  for (const name of names) {
    const value = whole[name];
    if (value === undefined) continue;
    kept[name] =
      isJsonObject(value) && name.endsWith('ependencies')
        ? Object.fromEntries(Object.entries(value).map(([key, range]) => [key, renamed[key] ?? range]))
        : value;
  }
  return `${JSON.stringify({ ...kept, private: true }, null, 2)}\n`;
}

async function noteForeignLocks(folder: string, findings: Findings): Promise<void> {
  for (const [name, manager] of Object.entries(foreignLocks)) {
    const file = join(folder, name);
    findings.looked.add(file);
    if ((await lstat(file).catch(() => null)) === null) continue;
    findings.note(file, null, {
      en: 'Hob installs with npm, which ignores this lock file',
      zh: 'Hob 使用 npm 安装，不读取此锁定文件',
      advice: {
        en: `The versions may differ from those that ${manager} chose. To pin them, add a package-lock.json (npm install writes it).`,
        zh: `实际版本可能与 ${manager} 选择的不同；可添加 package-lock.json（npm install 会生成）来固定版本。`,
      },
    });
  }
}

const mostPackages = 200;

/** Folders of npm and git, which are not part of a package. */
const leftOut = /^(?:node_modules|\.git)$/;

interface LocalPackages {
  /** Relative to the folder of the script, with forward slashes. */
  readonly copies: readonly string[];
  /** Replacements for ranges that only other tools understand. */
  readonly renamed: Readonly<Record<string, string>>;
}

/** Local packages that package.json names, and those that they name. */
async function readLocalPackages(
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
async function readWorkspaces(file: string, value: Json | undefined, findings: Findings): Promise<string[]> {
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
