import { isUtf8 } from 'node:buffer';
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { missingDependencies, missingEntry } from '../../scripts/catalogue-problems.ts';
import { languageRecords } from '../../scripts/languages.ts';
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

const mostLookedAtBytes = 16 * 1024 * 1024;

const problems = {
  empty: {
    severity: 'note',
    message: { en: 'The entry is empty', zh: '入口文件为空' },
    advice: { en: 'Write the script in this file.', zh: '请在其中编写脚本。' },
  },
  byteOrderMark: {
    severity: 'error',
    message: {
      en: 'The entry starts with a byte order mark, so the system cannot read its first line',
      zh: '入口文件以 BOM 开头，首行无法识别',
    },
    advice: { en: 'Save it as UTF-8 without a BOM.', zh: '请保存为不带 BOM 的 UTF-8。' },
  },
  windowsLineEnding: {
    severity: 'error',
    message: {
      en: 'The line has a Windows line ending (CRLF), which shells read as part of the command',
      zh: '该行使用 Windows 换行（CRLF），会被当作命令的一部分',
    },
    advice: { en: 'Save the file with Unix line endings (LF).', zh: '请使用 Unix 换行（LF）保存文件。' },
  },
  windowsProgram: {
    severity: 'note',
    message: { en: 'The entry is a program for Windows', zh: '入口文件是 Windows 程序' },
    advice: { en: 'It runs on Windows only.', zh: '它只能在 Windows 上运行。' },
  },
  notAProgram: {
    severity: 'error',
    message: {
      en: 'The entry is not a program and does not start with #!, so the system cannot start it',
      zh: '入口文件既不是程序，也没有以 #! 开头，系统无法启动',
    },
    advice: {
      en: 'Add a first line such as #!/usr/bin/env bash, or set another language.',
      zh: '请以 #!/usr/bin/env bash 之类的行开头，或设置其他 language。',
    },
  },
  notExecutable: {
    severity: 'error',
    message: { en: 'The entry is not executable', zh: '入口文件没有执行权限' },
    advice: { en: 'Make it executable with chmod +x.', zh: '请用 chmod +x 添加执行权限。' },
  },
  otherEncoding: {
    severity: 'note',
    message: { en: 'The entry is not UTF-8', zh: '入口文件不是 UTF-8 编码' },
    advice: {
      en: 'Save it as UTF-8. Otherwise, it may not start, or its text may be garbled.',
      zh: '请保存为 UTF-8，否则会出现乱码或无法启动。',
    },
  },
} as const;

/** Finds problems that prevent the start of an existing entry. */
async function checkEntry(script: Script, platform: NodeJS.Platform): Promise<Problem[]> {
  const { language, entry } = script.runtime;
  const { entryText } = languageRecords[language];
  const path = join(script.folder, entry);
  const read = await readRegularFile(path, { maxBytes: mostLookedAtBytes });
  // A file of this size was not written in an editor.
  if (read.kind !== 'content') return [];
  const found: Problem[] = [];
  const report = (problem: keyof typeof problems, line: number | null) =>
    found.push({ ...problems[problem], file: path, line });

  const { bytes } = read;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const start = bytes.subarray(hasMark ? 3 : 0);
  const hasShebang = start[0] === 0x23 && start[1] === 0x21;
  const isStartedByShebang = language === 'exe' && hasShebang;
  if (bytes.length === 0) report('empty', null);
  if (entryText === 'shell' || isStartedByShebang) {
    if (hasMark) report('byteOrderMark', 1);
    const returned = lineWithReturn(bytes, isStartedByShebang);
    if (returned !== null) report('windowsLineEnding', returned);
  }
  if (language === 'exe' && platform !== 'win32') {
    if (start[0] === 0x4d && start[1] === 0x5a) report('windowsProgram', null);
    else {
      if (!hasShebang && !isProgram(start)) report('notAProgram', 1);
      const status = await lstat(path).catch(() => null);
      if (status !== null && (status.mode & 0o100) === 0) report('notExecutable', null);
    }
  }
  if (entryText === 'utf8' && !isUtf8(bytes) && !declaresEncoding(bytes))
    report('otherEncoding', lineOfOtherEncoding(bytes));
  return found;
}

/** ELF or Mach-O. */
function isProgram(start: Uint8Array): boolean {
  const magic = Buffer.from(start.subarray(0, 4)).toString('hex');
  return magic === '7f454c46' || ['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe'].includes(magic);
}

/** The first line that ends with CRLF. For files that only the system reads, only the first line matters. */
function lineWithReturn(bytes: Buffer, isFirstOnly: boolean): number | null {
  const at = bytes.indexOf('\r\n');
  if (at === -1) return null;
  const line = bytes.subarray(0, at).toString('latin1').split('\n').length;
  return isFirstOnly && line > 1 ? null : line;
}

function lineOfOtherEncoding(bytes: Buffer): number | null {
  let start = 0;
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end === -1 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, stop))) return line;
    start = stop + 1;
  }
  return null;
}

/** A Python file may declare its encoding in its first two lines. */
function declaresEncoding(bytes: Buffer): boolean {
  const [first = '', second = ''] = bytes.subarray(0, 1000).toString('latin1').split('\n');
  return /^[ \t\f]*#.*?coding[:=]/.test(first) || /^[ \t\f]*#.*?coding[:=]/.test(second);
}
