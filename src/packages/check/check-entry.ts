import { isUtf8 } from 'node:buffer';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { languageRecords } from '../../scripts/languages.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';

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
export async function checkEntry(script: Script, platform: NodeJS.Platform): Promise<Problem[]> {
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
