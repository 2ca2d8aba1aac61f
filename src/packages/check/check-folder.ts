import { join, resolve } from 'node:path';

import { missingDependencies, missingEntry } from '../../scripts/catalogue-problems.ts';
import { loadFolder } from '../../scripts/load-folder.ts';
import { KeyLocator, type KeyPath } from '../../scripts/locate-keys.ts';
import { maxManifestBytes, parseToml } from '../../scripts/manifest-toml.ts';
import { describePath } from '../../scripts/read-manifest.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import { AppError } from '../../shared/errors.ts';
import { confine } from '../../shared/private-files.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';
import { cannotPack } from '../fetch/copy-folder.ts';
import { EntryNames } from '../fetch/entry-names.ts';
import { leaveOut, showName } from '../fetch/package-errors.ts';
import { scanFolder } from '../pack/scan-folder.ts';
import { defaultFetchLimits, type FetchLimits } from '../package-source.ts';
import { checkEntry } from './check-entry.ts';

/** Limit of reports per folder: the same problem usually affects all its files. */
const mostProblems = 50;
const notOnWindows = /[<>"|?*]/;

const secretName =
  /^(?:\.env(?:\..+)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|p12|pfx|key|kdbx))$/i;

const exampleName = /\.(?:example|sample|template|dist)$/i;

type FindScript = (id: string) => Pick<Script, 'name' | 'version'> | null;

export interface CheckOptions {
  /** Finds called scripts. Absent: dependencies are not checked. */
  readonly findScript?: FindScript;
  /** Additional checks of a script, from other modules. */
  readonly checks?: readonly ((script: Script) => Promise<Problem[]>)[];
  readonly limits?: FetchLimits;
  readonly platform?: NodeJS.Platform;
}

/**
 * Checks a folder as a package, its manifest and its files, and returns all problems at once, errors first. A package with an error
 * cannot be installed. The script is null if the manifest is missing or invalid.
 */
export async function checkFolder(
  folder: string,
  options: CheckOptions = {},
): Promise<{ script: Script | null; problems: Problem[] }> {
  const { findScript, checks = [], limits = defaultFetchLimits, platform = process.platform } = options;
  const path = resolve(folder);
  const loaded = await loadFolder(path);
  const problems: Problem[] = [];
  const script = loaded?.kind === 'script' ? loaded.script : null;
  if (loaded === null) problems.push(noManifest(path));
  else problems.push(...(loaded.kind === 'script' ? loaded.notes : loaded.problems));
  if (script !== null) {
    problems.push(...(await checkManifest(script, findScript)), ...(await checkEntry(script, platform)));
    for (const check of checks) problems.push(...(await check(script)));
  }
  problems.push(...(await checkFiles(path, limits)));
  const errors = problems.filter(({ severity }) => severity === 'error');
  const notes = problems.filter(({ severity }) => severity !== 'error');
  return { script, problems: [...errors, ...notes] };
}

function noManifest(folder: string): Problem {
  return {
    severity: 'error',
    file: folder,
    line: null,
    message: { en: 'This folder has no manifest', zh: '文件夹中没有清单文件' },
    advice: {
      en: 'Create a script.toml. docs/manifest.md shows a complete one, and hob new creates one together with a sample script.',
      zh: '请编写 script.toml，完整示例见 docs/manifest.md；也可以用 hob new 生成一个脚本作为起点。',
    },
  };
}

/** Finds wrong statements in a valid manifest, with their lines. */
async function checkManifest(script: Script, findScript: FindScript | undefined): Promise<Problem[]> {
  const read = await readRegularFile(script.manifestPath, { maxBytes: maxManifestBytes });
  const parsed = read.kind === 'content' ? parseToml(read.bytes) : null;
  const locator = new KeyLocator(parsed?.text ?? '');
  const lineOf = (...path: KeyPath) => locator.lineOf([script.rootTable, ...path]);
  const found: Problem[] = [];
  const note = (line: number | null, message: Text, advice: Text) =>
    found.push({ severity: 'note', file: script.manifestPath, line, message, advice });

  const entry = await missingEntry(script);
  if (entry !== null) found.push({ ...entry, line: lineOf('runtime', 'entry') });
  if (script.icon !== null) {
    const icon = confine(script.folder, script.icon);
    if (icon !== 'ok') {
      note(lineOf('info', 'icon'), describePath('icon', script.icon, icon), {
        en: 'Add the image, or remove the line.',
        zh: '请添加图片，或删除该行。',
      });
    }
  }
  const params = new Set(script.params.map(({ name }) => name));
  for (const [index, { name, when }] of script.params.entries()) {
    if (when === null || params.has(when.field)) continue;
    note(
      lineOf('params', index, 'when'),
      {
        en: `The param "${name}" depends on "${when.field}", which is not declared`,
        zh: `参数 "${name}" 依赖未声明的 "${when.field}"`,
      },
      { en: 'Declare it, or correct the name.', zh: '请声明该参数，或修正名称。' },
    );
  }
  const missing = findScript === undefined ? [] : missingDependencies(script, findScript);
  return [...found, ...missing.map((problem) => ({ ...problem, line: lineOf('dependencies') }))];
}

/** Finds files that cannot be packed, do not work on every system, or should not be shared. */
async function checkFiles(folder: string, limits: FetchLimits): Promise<Problem[]> {
  const names = new EntryNames(limits);
  const found: Problem[] = [];
  let totalBytes = 0;
  const report = (severity: Problem['severity'], path: string, message: Text, advice: Text) =>
    found.push({ severity, file: join(folder, path), line: null, message, advice });
  const refuse = (path: string, { text, hint }: AppError) => report('error', path, text, hint ?? text);

  for await (const entry of scanFolder(folder)) {
    if (found.length >= mostProblems) break;
    const { kind, path } = entry;
    if (kind === 'left-out') continue;
    if (kind !== 'file' && kind !== 'folder') {
      refuse(path, cannotPack(entry));
      continue;
    }
    try {
      names.claim(path, kind);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refuse(path, error);
      // Report an excess only once.
      if (names.count > limits.entries) break;
    }
    if (kind === 'file') totalBytes += entry.sizeBytes;
    if (totalBytes > limits.totalBytes) {
      const most = limits.totalBytes;
      const excess = {
        en: `The folder exceeds ${most} bytes at this file`,
        zh: `到此处为止文件夹已超过 ${most} 字节`,
      };
      report('error', path, excess, leaveOut);
      break;
    }
    const name = path.slice(path.lastIndexOf('/') + 1);
    const shown = showName(name);
    if (notOnWindows.test(name))
      report(
        'note',
        path,
        { en: `${shown} is not a valid name on Windows`, zh: `${shown} 不能用作 Windows 文件名` },
        { en: 'Rename it.', zh: '请重命名。' },
      );
    if (kind === 'file' && secretName.test(name) && !exampleName.test(name)) {
      report(
        'note',
        path,
        { en: `${shown} may contain secrets`, zh: `${shown} 可能含有敏感信息` },
        {
          en: 'Make sure that it contains no secrets before you share the package.',
          zh: '分享前请确认其中没有敏感信息。',
        },
      );
    }
  }
  return found;
}
