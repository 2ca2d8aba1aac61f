import { join } from 'node:path';

import type { Problem } from '../../scripts/script.ts';
import { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import { cannotPack } from '../fetch/copy-folder.ts';
import { EntryNames } from '../fetch/entry-names.ts';
import type { FetchLimits } from '../fetch/fetch-limits.ts';
import { showName } from '../fetch/show-name.ts';
import { scanFolder } from '../pack/scan-folder.ts';

/** Limit of reports per folder: the same problem usually affects all its files. */
const mostProblems = 50;

const notOnWindows = /[<>"|?*]/;

const secretName =
  /^(?:\.env(?:\..+)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|p12|pfx|key|kdbx))$/i;
const exampleName = /\.(?:example|sample|template|dist)$/i;

/** Finds files that cannot be packed, do not work on every system, or should not be shared. */
export async function checkFiles(folder: string, limits: FetchLimits): Promise<Problem[]> {
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
      report('error', path, tooManyBytes(limits.totalBytes), leaveOut);
      break;
    }
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (notOnWindows.test(name))
      report('note', path, windowsName(name), { en: 'Rename it.', zh: '请重命名。' });
    if (kind === 'file' && secretName.test(name) && !exampleName.test(name)) {
      report('note', path, looksSecret(name), {
        en: 'Make sure that it contains no secrets before you share the package.',
        zh: '分享前请确认其中没有敏感信息。',
      });
    }
  }
  return found;
}

const leaveOut: Text = {
  en: 'Remove files that the script does not need. Declare models in the manifest, and Hob downloads them.',
  zh: '请去掉脚本不需要的内容；模型请在清单中声明，由 Hob 下载。',
};

function tooManyBytes(most: number): Text {
  return { en: `The folder exceeds ${most} bytes at this file`, zh: `到此处为止文件夹已超过 ${most} 字节` };
}

function windowsName(name: string): Text {
  return {
    en: `${showName(name)} is not a valid name on Windows`,
    zh: `${showName(name)} 不能用作 Windows 文件名`,
  };
}

function looksSecret(name: string): Text {
  return { en: `${showName(name)} may contain secrets`, zh: `${showName(name)} 可能含有敏感信息` };
}
