import { dirname, extname } from 'node:path';

import type { Static } from 'typebox';
import Value from 'typebox/value';
import type { Retries } from '../contract/values.ts';
import { brief } from '../shared/brief.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { type Confined, confine } from '../shared/private-files.ts';
import type { Text } from '../shared/text.ts';
import { findMismatches } from './describe-mismatch.ts';
import { languageFromExtension, languageFromName, languages, type ScriptLanguage } from './languages.ts';
import { KeyLocator } from './locate-keys.ts';
import {
  DependencySchema,
  InfoSchema,
  InputSchema,
  knownSections,
  ModelSchema,
  NodeSchema,
  OutputSchema,
  RuntimeSchema,
} from './manifest-schema.ts';
import type { ParsedToml } from './manifest-toml.ts';
import { readMcp } from './read-mcp.ts';
import { readOfferedTriggers } from './read-offered-triggers.ts';
import { readParams } from './read-params.ts';
import { reporter, SectionReader, unknownAdvice } from './read-section.ts';
import { backoffFault, retriesOf, retriesUnderLock } from './retries.ts';
import { parseVersionRange } from './runtimes/version-range.ts';
import {
  builderId,
  type MainInput,
  type ModelNeed,
  type Problem,
  type Script,
  type ScriptDependency,
  type ScriptRuntime,
  type Terminal,
  terminals,
} from './script.ts';
import { isSlug, slugFrom } from './slug.ts';

/** Names separated by dots, as in an import statement. */
const moduleName = /^[\p{XID_Start}_]\p{XID_Continue}*(?:\.[\p{XID_Start}_]\p{XID_Continue}*)*$/u;

export type ManifestReading =
  /** A TOML file of another program. */
  | { kind: 'not-a-manifest' }
  | { kind: 'script'; script: Script; notes: Problem[] }
  /** Keeps a readable id, so that callers get the problem instead of "unknown script". */
  | { kind: 'broken'; ids: string[]; name: string | null; problems: Problem[] };

/** Reads the manifest at `path` and reports all its problems at once. */
export async function readManifest(path: string, parsed: ParsedToml): Promise<ManifestReading> {
  if (parsed.kind === 'invalid') {
    const { text, line, message, advice } = parsed;
    const problem: Problem = { severity: 'error', file: path, line, message, advice };
    return { kind: 'broken', ids: idsIn(text), name: null, problems: [problem] };
  }

  // An incomplete root table counts if there is no complete one.
  const candidates = Object.entries(parsed.table).filter(([, value]) => requiredFields(value) > 0);
  const complete = candidates.filter(([, value]) => requiredFields(value) === 2);
  const [root, second] = complete.length > 0 ? complete : candidates;
  if (root === undefined) return { kind: 'not-a-manifest' };
  const [rootName, table] = root;
  if (!isJsonObject(table)) return { kind: 'not-a-manifest' };

  const problems: Problem[] = [];
  const report = reporter(path, new KeyLocator(parsed.text), problems);
  if (second !== undefined) {
    report('error', [second[0]], {
      en: `Both [${rootName}] and [${second[0]}] describe a script`,
      zh: `[${rootName}] 和 [${second[0]}] 都描述了脚本`,
      advice: {
        en: 'Keep one of them. A folder can hold only one script.',
        zh: '一个文件夹只能有一个脚本，请保留其一。',
      },
    });
  }

  const section = new SectionReader(table, rootName, report);
  const info = section.table('info', InfoSchema);
  // A script with this id would be started instead of the builder.
  if (info?.id.toLowerCase() === builderId)
    report('error', [rootName, 'info', 'id'], {
      en: 'This id is reserved for a program of Hob',
      zh: '此 id 已被 Hob 自身的程序使用',
      advice: {
        en: 'Give the script a new UUID (uuidgen generates one).',
        zh: '请为脚本更换 UUID（可用 uuidgen 生成）。',
      },
    });
  const slug = readSlug(section, info?.slug);
  const folder = dirname(path);
  const runtime = await readRuntime(section, folder);
  const input = readInput(section);
  const params = readParams(section);
  const outputs = section.list('outputs', OutputSchema).map(({ item: output }) => ({
    name: output.name,
    type: output.type ?? null,
    description: output.description ?? null,
  }));
  const node = table.node === undefined ? null : section.table('node', NodeSchema);
  const models: ModelNeed[] = section
    .list('models', ModelSchema)
    .map(({ item: model }) => ({ source: model.source, repoId: model.repo_id, files: model.files ?? [] }));
  const dependencies = readDependencies(section);
  const triggers = readOfferedTriggers(section, input?.exts ?? []);
  const mcp = readMcp(section);
  for (const key of Object.keys(table).filter((key) => !Object.hasOwn(knownSections, key)))
    report('note', [rootName, key], {
      en: `Unknown table [${rootName}.${key}] is ignored`,
      zh: `未知的 [${rootName}.${key}]，已忽略`,
      advice: unknownAdvice,
    });
  if (info?.icon !== undefined && confine(folder, info.icon) === 'outside') {
    report('error', [rootName, 'info', 'icon'], {
      ...describePath('icon', info.icon, 'outside'),
      advice: insideAdvice,
    });
  }

  if (problems.some(({ severity }) => severity === 'error') || info === null || runtime === null) {
    return { kind: 'broken', ...identityOf(table), problems };
  }
  const script: Script = {
    id: info.id.toLowerCase(),
    name: info.name,
    wantedSlug: slug,
    version: info.version ?? null,
    description: info.desc ?? null,
    icon: info.icon ?? null,
    tags: readTags(info.tags),
    folder,
    manifestPath: path,
    rootTable: rootName,
    runtime,
    input,
    params,
    outputs,
    isNode: node?.enabled === true,
    models,
    dependencies,
    triggers,
    mcp,
  };
  return { kind: 'script', script, notes: problems };
}

/** How many of the two required fields of a root table a top-level value has. */
function requiredFields(value: Json): number {
  if (!isJsonObject(value) || !isJsonObject(value.info) || !isJsonObject(value.runtime)) return 0;
  return Number(Object.hasOwn(value.info, 'id')) + Number(Object.hasOwn(value.runtime, 'entry'));
}

/** Guesses the id in a file that cannot be parsed, so that callers learn why the script does not run. */
function idsIn(text: string): string[] {
  const [, id] =
    /^[ \t]*(?:info\s*\.\s*)?id\s*=\s*["']([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})["']/im.exec(text) ??
    [];
  return id === undefined ? [] : [id.toLowerCase()];
}

function identityOf(table: JsonObject): { ids: string[]; name: string | null } {
  const info = isJsonObject(table.info) ? table.info : {};
  const idFits = findMismatches(InfoSchema.properties.id, info.id ?? null).length === 0;
  return {
    ids: idFits ? [String(info.id).toLowerCase()] : [],
    name: typeof info.name === 'string' ? info.name : null,
  };
}

const insideAdvice: Text = {
  en: 'Use a relative path to a file inside the script folder. Symbolic links must not lead out of the folder.',
  zh: '请填写脚本文件夹内的相对路径，且不能通过符号链接指向外部。',
};

type PathFault = Exclude<Confined, 'ok'>;

const pathFaults: Readonly<Record<PathFault, Text>> = {
  outside: { en: 'is outside the script folder', zh: '超出了脚本文件夹' },
  missing: { en: 'does not exist', zh: '不存在' },
  'not-a-file': { en: 'is not a file', zh: '不是文件' },
};

/** Describes an unusable path of a manifest, at load time or at the start of a run. */
export function describePath(field: string, path: string, fault: PathFault): Text {
  const { en, zh } = pathFaults[fault];
  return { en: `${field} "${path}" ${en}`, zh: `${field} "${path}" ${zh}` };
}

/** A slug that cannot be used does not stop the script: it gets one from its name. */
function readSlug(section: SectionReader, slug: string | undefined): string | null {
  if (slug === undefined || isSlug(slug)) return slug ?? null;
  const proposal = slugFrom(slug) ?? 'resize-images';
  section.report('note', [section.rootName, 'info', 'slug'], {
    en: `slug ${brief(slug)} cannot be used; the slug is made from the name instead`,
    zh: `无法使用 slug ${brief(slug)}，改为由名称生成`,
    advice: {
      en: `Use at most 64 lower-case letters a-z, digits and hyphens, with no hyphen at the beginning or end, and not the form of a UUID, such as "${proposal}".`,
      zh: `请使用小写字母 a-z、数字和连字符（最多 64 个字符，不以连字符开头或结尾，不能是 UUID 的形式），例如 "${proposal}"。`,
    },
  });
  return null;
}

/** Existing manifests also write one text, with commas. */
function readTags(given: string | readonly string[] = []): string[] {
  const tags = typeof given === 'string' ? given.split(/[,，]/) : given;
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}

async function readRuntime(section: SectionReader, folder: string): Promise<ScriptRuntime | null> {
  const runtime = section.table('runtime', RuntimeSchema);
  const raw = section.root.runtime;
  const texts = isJsonObject(raw) ? raw : {};
  const entry = typeof texts.entry === 'string' ? texts.entry : null;
  // A missing entry can be fixed without a change of the manifest, so it is checked later.
  if (entry !== null && confine(folder, entry) === 'outside') {
    section.report('error', [section.rootName, 'runtime', 'entry'], {
      ...describePath('entry', entry, 'outside'),
      advice: insideAdvice,
    });
  }
  const language = readLanguage(section, texts.language, entry);
  if (typeof texts.language_version === 'string') checkVersion(section, texts.language_version);
  const terminal = readTerminal(section, texts.terminal);
  const preload = readPreload(section, texts.preload, language);
  const retries = runtime === null ? null : readRuntimeRetries(section, runtime);
  if (language === null || runtime === null) return null;
  return {
    language,
    languageVersion: runtime.language_version ?? null,
    entry: runtime.entry.replaceAll('\\', '/'),
    terminal,
    timeoutMs: runtime.timeout === undefined ? null : runtime.timeout * 1000,
    concurrency: runtime.concurrency ?? null,
    lock: runtime.lock ?? null,
    retries,
    survivors: runtime.survivors ?? 'keep',
    notifyOn: runtime.notify_on ?? 'never',
    env: runtime.env ?? {},
    binaries: (runtime.binaries ?? []).map(({ name }) => name),
    requireModels: runtime.require_models ?? false,
    preload,
    mayStartWarm: runtime.warm ?? true,
  };
}

function readLanguage(
  section: SectionReader,
  name: Json | undefined,
  entry: string | null,
): ScriptLanguage | null {
  if (name !== undefined && typeof name !== 'string') return null;
  if (name === undefined && entry === null) return null;
  const known = name === undefined ? languageFromExtension(extname(entry ?? '')) : languageFromName(name);
  if (known !== undefined) return known;
  section.report('error', [section.rootName, 'runtime', name === undefined ? 'entry' : 'language'], {
    ...(name === undefined
      ? {
          en: `language is missing and cannot be derived from "${entry}"`,
          zh: `缺少 language，且无法从 "${entry}" 判断`,
        }
      : { en: `Unknown language "${name}"`, zh: `未知的语言 "${name}"` }),
    advice: {
      en: `Set language to one of ${languages.join(', ')}.`,
      zh: `language 可以是：${languages.join('、')}。`,
    },
  });
  return null;
}

function checkVersion(section: SectionReader, requirement: string): void {
  if (parseVersionRange(requirement) !== null) return;
  section.report('error', [section.rootName, 'runtime', 'language_version'], {
    en: `language_version "${requirement}" is not a valid range`,
    zh: `无法识别 language_version "${requirement}"`,
    advice: {
      en: 'Write a range such as ">=3.8", ">=18 <23" or "3.12".',
      zh: '请写成 ">=3.8"、">=18 <23" 或 "3.12" 的形式。',
    },
  });
}

function readTerminal(section: SectionReader, name: Json | undefined): Terminal {
  const known = terminals.find((terminal) => terminal === name);
  if (known === undefined && typeof name === 'string') {
    section.report('note', [section.rootName, 'runtime', 'terminal'], {
      en: `Unknown terminal "${name}"; "always" is used instead`,
      zh: `未知的 terminal "${name}"，按 "always" 处理`,
      advice: { en: `Use one of ${terminals.join(', ')}.`, zh: `可用值：${terminals.join('、')}。` },
    });
  }
  return known ?? 'always';
}

/** Older manifests name the picked kind (file, folder, text); only one value or several matters here. */
const singleValueTypes = new Set(['str', 'string', 'text', 'file', 'folder', 'path', 'dir', 'directory']);

function readInput(section: SectionReader): MainInput | null {
  const inputs = section.list('inputs', InputSchema);
  if (inputs.length > 1) {
    section.report('note', [section.rootName, 'inputs', 1], {
      en: 'Only the first input is used',
      zh: '只使用第一个输入',
      advice: { en: 'Declare the others as params.', zh: '请把其他输入改为 params。' },
    });
  }
  const input = inputs[0]?.item;
  if (input === undefined) return null;
  return {
    name: input.name,
    label: input.label ?? input.name,
    type: input.type !== undefined && singleValueTypes.has(input.type.toLowerCase()) ? 'str' : 'list',
    pick: input.pick ?? null,
    exts: input.exts ?? [],
    description: input.description ?? null,
  };
}

function readRuntimeRetries(
  section: SectionReader,
  { retries: given, lock }: Static<typeof RuntimeSchema>,
): Retries | null {
  if (given === undefined) return null;
  const path = [section.rootName, 'runtime', 'retries'];
  const fault = backoffFault(given);
  if (fault !== null) {
    const advice = { en: 'Correct this value.', zh: '请修正该值。' };
    section.report('error', [...path, 'backoff'], { ...fault, advice });
    return null;
  }
  const retries = retriesOf(given);
  if (lock !== undefined && retries?.on.includes('lost') === true) {
    section.report('note', [...path, 'on'], {
      en: '"lost" is ignored in retries.on, because the script has a lock',
      zh: '脚本设置了 lock，retries.on 中的 "lost" 已忽略',
      advice: {
        en: 'Remove it, or remove the lock. The process of a lost run may still hold what the lock protects.',
        zh: '请删除 "lost" 或 lock：失联的运行可能仍在使用该锁保护的资源。',
      },
    });
  }
  return retriesUnderLock(retries, lock ?? null);
}

function readPreload(
  section: SectionReader,
  value: Json | undefined,
  language: ScriptLanguage | null,
): string[] {
  // The schema check reports values that are not a list of strings.
  if (!Array.isArray(value)) return [];
  const path = [section.rootName, 'runtime', 'preload'];
  if (language !== null && language !== 'python') {
    section.report('note', path, {
      en: `preload has no effect, because the language is ${language}`,
      zh: `preload 不起作用：语言为 ${language}`,
      advice: { en: 'Remove it. Only Python scripts can use it.', zh: '请删除，仅适用于 Python 脚本。' },
    });
    return [];
  }
  const names = value.filter((name) => typeof name === 'string');
  for (const [index, name] of value.entries()) {
    if (typeof name !== 'string' || moduleName.test(name)) continue;
    section.report('error', [...path, index], {
      en: `preload "${name}" is not the name of a Python module`,
      zh: `preload "${name}" 不是 Python 模块名`,
      advice: {
        en: 'Write it as in an import statement, such as "numpy" or "xml.etree.ElementTree".',
        zh: '请按 import 语句的写法填写，例如 "numpy" 或 "xml.etree.ElementTree"。',
      },
    });
  }
  return names;
}

/**
 * Reads the scripts that this script calls, from tables or plain ids. Other values are noted and ignored, so that scripts from
 * before this section was introduced still run.
 */
function readDependencies({ root, report, rootName }: SectionReader): ScriptDependency[] {
  const value = root.dependencies;
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).flatMap((item, index) => {
    const path = [rootName, 'dependencies', index];
    const dependency = readDependency(typeof item === 'string' ? { id: item } : item);
    if (dependency === null) {
      report('note', path, {
        en: 'A dependency has no valid script id and is ignored',
        zh: '依赖项不是脚本 ID，已忽略',
        advice: {
          en: 'Write [[service.dependencies]] with id = "…" for each script that this script calls.',
          zh: '请为每个被调用的脚本写 [[service.dependencies]]，并填写 id = "…"。',
        },
      });
      return [];
    }
    if (dependency.version === null || parseVersionRange(dependency.version) !== null) return [dependency];
    report('note', [...path, 'version'], {
      en: `version "${dependency.version}" is not a valid range, so any version is accepted`,
      zh: `无法识别 version "${dependency.version}"，不限制版本`,
      advice: { en: 'Write a range such as ">=1.2".', zh: '请写成 ">=1.2" 的形式。' },
    });
    return [{ ...dependency, version: null }];
  });
}

function readDependency(item: Json): ScriptDependency | null {
  if (!Value.Check(DependencySchema, item)) return null;
  const { id, name = null, version = null } = item;
  return { id: id.toLowerCase(), name, version };
}
