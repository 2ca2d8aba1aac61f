import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';

import { decodeFileText } from '../../shared/decode-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { whereNotJson } from '../../shared/json-fault.ts';
import { type Findings, reportUnreadable } from './findings.ts';
import { readLocalPackages, readWorkspaces } from './local-packages.ts';
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
