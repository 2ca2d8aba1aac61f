import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';

import { errnoOf } from '../../shared/errors.ts';
import { runCommand } from '../../shared/run-command.ts';
import { quoteWord } from '../command-lines.ts';
import { printable } from '../terminal/text.ts';
import { type UserError, userError } from '../user-error.ts';

/** Far more than a crontab has; crontab programs accept less. */
const mostBytes = 1024 * 1024;

/** The text of a crontab: of a file, of stdin for `-`, or of `crontab -l` if there is no name. */
export async function readCrontabText(file: string | undefined): Promise<string> {
  const bytes = await readBytes(file);
  if (bytes.includes(0)) throw notCrontab(file ?? 'crontab -l');
  if (bytes.length > mostBytes) throw tooLarge();
  // Replaced bytes would silently change a command.
  if (!isUtf8(bytes)) throw notUtf8(lineOfMistake(bytes), file);
  return bytes.toString('utf8');
}

async function readBytes(file: string | undefined): Promise<Buffer> {
  if (file === undefined) return readOfUser();
  if (file === '-') return readStart(process.stdin);
  return readStart(createReadStream(file)).catch((error: unknown) => {
    throw userError(
      `Cannot read ${printable(file)} (${errnoOf(error)}).`,
      `无法读取 ${printable(file)}（${errnoOf(error)}）。`,
    );
  });
}

/** Reads to the end, or until there is more than a crontab may have: the file may be a device without an end. */
async function readStart(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    total += chunk.length;
    if (total > mostBytes) break;
  }
  return Buffer.concat(chunks);
}

async function readOfUser(): Promise<Buffer> {
  // Each byte is one character of Latin-1, so none is lost.
  const { ok, stdout, stderr, failure } = await runCommand('crontab', ['-l'], { encoding: 'latin1' });
  if (ok) return Buffer.from(stdout, 'latin1');
  const reason = printable(Buffer.from(stderr, 'latin1').toString().trim());
  if (failure === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') throw tooLarge();
  if (/no crontab/i.test(reason)) return Buffer.alloc(0);
  throw failure === 'ENOENT'
    ? userError(
        'The command crontab was not found. Name a file: hob triggers import <file>',
        '找不到 crontab 命令。请指定文件：hob triggers import <文件>',
      )
    : userError(`crontab -l failed (${failure}). ${reason}`, `crontab -l 失败（${failure}）。${reason}`);
}

/** The first line that is not UTF-8, counted from 1. */
function lineOfMistake(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; ; line++) {
    const end = bytes.indexOf('\n', start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

function notCrontab(source: string): UserError {
  return userError(`${printable(source)} is not a crontab.`, `${printable(source)} 不是 crontab。`);
}

function tooLarge(): UserError {
  return userError(
    'The crontab is larger than 1 MiB. Nothing was created. Import it in smaller parts: hob triggers import <file>',
    'crontab 超过 1 MiB。没有创建任何内容。请分成较小的文件分别导入：hob triggers import <文件>',
  );
}

function notUtf8(line: number, file: string | undefined): UserError {
  const convert = 'iconv -f ISO-8859-1 -t UTF-8';
  const command =
    file === undefined
      ? `crontab -l | ${convert} | hob triggers import -`
      : `${convert} ${file === '-' ? '' : `${printable(quoteWord(file))} `}| hob triggers import -`;
  return userError(
    `Line ${line} of the crontab is not valid UTF-8. Nothing was created. Convert it from its encoding, for example: ${command}`,
    `crontab 第 ${line} 行不是有效的 UTF-8。没有创建任何内容。请先从原编码转换，例如：${command}`,
  );
}
