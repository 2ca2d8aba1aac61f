import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { KeyLocator, type KeyPath } from '../../scripts/locate-keys.ts';
import { type ParsedToml, parseToml } from '../../scripts/manifest-toml.ts';
import { parseVersionRange } from '../../scripts/runtimes/version-range.ts';
import type { Advised } from '../../scripts/script.ts';
import { decodeFileText } from '../../shared/decode-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import type { Text } from '../../shared/text.ts';
import { type Findings, reportUnreadable } from './findings.ts';
import type { PythonRecipe, RecipeOwner } from './recipe.ts';
import { RequirementsReader, takeLocal, withoutPassword } from './requirements-file.ts';

/** Content of a table with `dependencies` and `requires-python`; null if it needs no package. */
interface ProjectNeeds {
  readonly dependencies: readonly string[];
  readonly requiresPython: string | null;
}

interface Place {
  readonly file: string;
  /** Number of lines before the text. */
  readonly lineOffset: number;
}

type InlineMetadata =
  | { readonly kind: 'none' }
  /** Line of a block without an end. */
  | { readonly kind: 'open'; readonly line: number }
  | { readonly kind: 'twice'; readonly line: number }
  | { readonly kind: 'block'; readonly line: number; readonly toml: string };

const blockStart = '# /// script';
const blockEnd = '# ///';

/** Reads the requirements of a Python script from the first place that has any. */
export async function findPythonRecipe(
  { folder, runtime }: RecipeOwner,
  findings: Findings,
): Promise<PythonRecipe | null> {
  // An environment of the author, working or not.
  const own = join(folder, '.venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  findings.looked.add(own);
  if ((await lstat(own).catch(() => null)) !== null) return null;

  const inline = await findInline(join(folder, runtime.entry), findings);
  if (inline !== undefined) return inline;
  const requirements = await findRequirements(join(folder, 'requirements.txt'), findings);
  if (requirements !== undefined) return requirements;
  return findProject(folder, findings);
}

/** Undefined if the entry has no metadata; null if the metadata requires nothing. */
async function findInline(entry: string, findings: Findings): Promise<PythonRecipe | null | undefined> {
  const result = await findings.read(entry);
  // Other checks report a missing or invalid entry.
  if (result.kind !== 'content') return undefined;
  const metadata = readInlineMetadata(decodeFileText(result.bytes));
  if (metadata.kind === 'none') return undefined;
  if (metadata.kind === 'open') {
    findings.note(entry, metadata.line, {
      en: 'The metadata block that starts here has no end',
      zh: '此处开始的元数据块没有结束标记',
      advice: { en: 'End it with the line: # ///', zh: '请用一行 # /// 结束它。' },
    });
    return undefined;
  }
  if (metadata.kind === 'twice') {
    findings.error(entry, metadata.line, {
      en: 'The file has a second metadata block',
      zh: '存在第二个元数据块',
      advice: { en: 'Keep one of them.', zh: '请只保留一个。' },
    });
    return null;
  }
  const place = { file: entry, lineOffset: metadata.line };
  const parsed = parseProject(Buffer.from(metadata.toml), place, findings);
  if (parsed === null) return null;
  return fromNeeds(entry, readNeeds(parsed.table, [], parsed.text, place, findings), findings);
}

async function findRequirements(file: string, findings: Findings): Promise<PythonRecipe | null | undefined> {
  const found = new RequirementsReader(findings);
  if (!(await found.readFile(file))) return undefined;
  if (found.requirements.length === 0) return null;
  return {
    kind: 'python',
    file,
    requirements: found.requirements.map(withoutPassword),
    inputs: findings.inputs,
    requiresPython: null,
    lines: found.lines,
    uvLock: null,
    isBoundToFolder: found.isBoundToFolder,
  };
}

async function findProject(folder: string, findings: Findings): Promise<PythonRecipe | null> {
  const file = join(folder, 'pyproject.toml');
  const result = await findings.read(file);
  if (result.kind === 'missing') return null;
  if (result.kind !== 'content') {
    reportUnreadable(findings, file, result);
    return null;
  }
  const place = { file, lineOffset: 0 };
  const parsed = parseProject(result.bytes, place, findings);
  if (parsed === null) return null;
  const project = tableAt(parsed.table, 'project');
  if (project === null || project.dependencies === undefined) {
    const line = (...path: string[]) => new KeyLocator(parsed.text).lineOf(path);
    if (tableAt(parsed.table, 'tool', 'poetry', 'dependencies') !== null) {
      noteUnread(findings, file, line('tool', 'poetry', 'dependencies'), '[tool.poetry.dependencies]');
    } else if (Array.isArray(project?.dynamic) && project.dynamic.includes('dependencies')) {
      noteUnread(findings, file, line('project', 'dynamic'), 'dynamic = ["dependencies"]');
    }
    return null;
  }
  const needs = readNeeds(project, ['project'], parsed.text, place, findings);
  const lock = join(folder, 'uv.lock');
  const hasLock = needs.dependencies.length > 0 && (await findings.read(lock)).kind === 'content';
  if (hasLock) {
    await findings.take(lock);
    // The lock file belongs to the current project, and uv reads both.
    await findings.take(file);
  }
  return fromNeeds(file, needs, findings, hasLock ? lock : null);
}

async function fromNeeds(
  file: string,
  { dependencies, requiresPython }: ProjectNeeds,
  findings: Findings,
  uvLock: string | null = null,
): Promise<PythonRecipe | null> {
  if (dependencies.length === 0) return null;
  for (const text of dependencies) await takeLocal(file, { line: null, text }, findings);
  return {
    kind: 'python',
    file,
    requirements: dependencies.map(withoutPassword),
    inputs: findings.inputs,
    requiresPython,
    lines: dependencies,
    uvLock,
    isBoundToFolder: false,
  };
}

function noteUnread(findings: Findings, file: string, line: number | null, what: string): void {
  findings.note(file, line, {
    en: `Hob does not install the packages of ${what}`,
    zh: `Hob 不会安装 ${what} 中的依赖`,
    advice: {
      en: 'List the packages under [project] as dependencies = [...], or in requirements.txt (poetry export writes it).',
      zh: '请在 [project] 中用 dependencies = [...] 列出，或写入 requirements.txt（可用 poetry export 生成）。',
    },
  });
}

/** Reads the metadata in the comments of a Python file (PEP 723). */
function readInlineMetadata(text: string): InlineMetadata {
  const lines = text.split(/\r?\n/);
  const first = lines.indexOf(blockStart);
  if (first === -1) return { kind: 'none' };
  const last = endOfBlock(lines, first);
  if (last === null) return { kind: 'open', line: first + 1 };
  const second = lines.indexOf(blockStart, last + 1);
  if (second !== -1 && endOfBlock(lines, second) !== null) return { kind: 'twice', line: second + 1 };
  const toml = lines.slice(first + 1, last).map((line) => line.slice(2));
  return { kind: 'block', line: first + 1, toml: toml.join('\n') };
}

/** The last closing line, because the content may contain such a line. */
function endOfBlock(lines: readonly string[], start: number): number | null {
  let end: number | null = null;
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line === blockEnd) end = at;
    else if (line === blockStart || (line !== '#' && !line.startsWith('# '))) break;
  }
  return end;
}

/** Parses a `pyproject.toml` or the metadata of an entry; null if it is not TOML, which is reported. */
function parseProject(
  bytes: Uint8Array,
  { file, lineOffset }: Place,
  findings: Findings,
): (ParsedToml & { kind: 'table' }) | null {
  const parsed = parseToml(bytes);
  if (parsed.kind === 'table') return parsed;
  const line = parsed.line === null ? null : parsed.line + lineOffset;
  findings.error(file, line, { ...parsed.message, advice: parsed.advice });
  return null;
}

/** Reads the requirements in the table at `path`. Reports invalid values. */
function readNeeds(
  table: JsonObject,
  path: KeyPath,
  text: string,
  { file, lineOffset }: Place,
  findings: Findings,
): ProjectNeeds {
  const locator = new KeyLocator(text);
  const report = (keys: KeyPath, message: Text & Advised) => {
    const line = locator.lineOf([...path, ...keys]);
    findings.error(file, line === null ? null : line + lineOffset, message);
  };
  const { dependencies = [], 'requires-python': versions } = table;
  if (!Array.isArray(dependencies)) report(['dependencies'], notARequirement);
  const needed = (Array.isArray(dependencies) ? dependencies : []).flatMap((item, index) => {
    // Each item becomes a line in the file for the tool, which must be neither two lines nor an option.
    if (typeof item === 'string' && !/[\r\n]|^\s*(?:-|$)/.test(item)) return [item.trim()];
    report(['dependencies', index], notARequirement);
    return [];
  });
  const requiresPython = typeof versions === 'string' ? readRequiresPython(versions) : null;
  if (versions !== undefined && requiresPython === null)
    report(['requires-python'], {
      en: '`requires-python` is not a valid range',
      zh: '无法识别 `requires-python`',
      advice: {
        en: 'Write a range such as ">=3.9" or ">=3.9,<4".',
        zh: '请写成 ">=3.9" 或 ">=3.9,<4" 的形式。',
      },
    });
  return { dependencies: needed, requiresPython };
}

const notARequirement: Text & Advised = {
  en: 'This is not a valid requirement',
  zh: '这不是有效的依赖声明',
  advice: {
    en: 'Write `dependencies` as a list of strings such as "requests>=2.31".',
    zh: '`dependencies` 应为文本列表，例如 "requests>=2.31"。',
  },
};

function tableAt(table: JsonObject, ...names: readonly string[]): JsonObject | null {
  let inner: Json | undefined = table;
  for (const name of names) {
    inner = isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }
  return isJsonObject(inner) ? inner : null;
}

/**
 * Converts `requires-python` to the notation of the interpreter finder; null if it is not valid. Pre-release suffixes, as in `<4.0a0`,
 * are dropped, because they do not affect the choice of an interpreter.
 */
export function readRequiresPython(written: string): string | null {
  const parts = written
    .split(',')
    .map((part) => part.trim().replace(/(\d)\.?(?:a|b|rc|dev|post)\d*$/i, '$1'))
    .filter((part) => part !== '');
  const requirement = parts.join(',');
  return requirement === '' || parseVersionRange(requirement) === null ? null : requirement;
}

/** Combines both ranges. The first may have alternatives, as in `3.8 || 3.10`; the second is already converted. */
export function bothVersions(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second;
  const parts = second.split(',');
  const excluded = parts.filter((part) => part.startsWith('!='));
  const included = parts.filter((part) => !part.startsWith('!='));
  const alternatives = first.split('||').map((each) => [each.trim(), ...included].join(','));
  return [alternatives.join(' || '), ...excluded].join(',');
}
