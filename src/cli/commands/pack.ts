import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../../contract/quantities.ts';
import { packFolder } from '../../packages/pack/pack-folder.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import { quoteWord } from '../command-lines.ts';
import { catchInterrupt } from '../interrupt.ts';
import { language, tr } from '../language.ts';
import { describeChecked, examineFolder } from '../offline/check-folder.ts';
import { explain, isFolder } from '../offline/transfer.ts';
import { helpText, withSignature } from '../options.ts';
import { safeFileName } from '../safe-file-name.ts';
import { printJson } from '../terminal/print.ts';
import { formatCount, printable } from '../terminal/text.ts';
import { UserError, usageError, userError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '[folder]': ['folder of the script', '脚本所在的文件夹', { default: '.' }],
    '-o, --output <file>': [
      'file or folder to write to (default: NAME-VERSION.zip in the current folder)',
      '要写入的文件或文件夹（默认：当前文件夹中的 名称-版本.zip）',
    ],
    '--force': ['replace an existing file', '替换已有的文件'],
    '--json': ['print the result as JSON', '以 JSON 输出打包结果，供程序使用'],
  })
    .addHelpText('after', examples)
    .action(pack);
}

const examples = helpText(
  ['hob pack', 'hob pack ./resize-images -o /tmp/resize.zip'],
  `Creates a package that others can install. Fix the errors that hob check reports first. Environments, caches and the version
control history are left out. Needs no running service.
Exit codes: 0 success, 1 failure (see stderr), 2 usage error.`,
  `把脚本做成别人可以安装的包。hob check 发现的错误须先修正；运行环境、缓存和版本控制历史不会打包进去。不需要启动服务。
退出码：0 已写入，1 未写入（原因见 stderr），2 命令写法有误。`,
);

interface PackOptions {
  output?: string;
  force?: boolean;
  json?: boolean;
}

const nothingPacked = tr('Nothing was packed.', '没有打包。');

async function pack(text: string, { output, force, json }: PackOptions): Promise<void> {
  const checked = await examineFolder(text);
  const { folder, script, problems, errors } = checked;
  if (errors > 0 || script === null) {
    process.stderr.write(describeChecked(checked, process.stderr));
    throw new UserError(nothingPacked);
  }
  // Notes do not prevent packing, but the author should see them.
  if (problems.length > 0) process.stderr.write(describeChecked(checked, process.stderr));
  const target = await targetOf(output, packageFileName(script));
  await refuseExisting(target, force === true);
  const packed = await packInto(folder, target);
  if (json === true) {
    const { file, entries, bytes, sha256, notes } = packed;
    const said = { file, entries, bytes, sha256, notes: notes.map(({ en }) => en) };
    printJson({ ...said, script_id: script.id, name: script.name, version: script.version });
    return;
  }
  for (const note of packed.notes)
    process.stderr.write(`${tr('Note: ', '提示：')}${printable(note[language])}\n`);
  const { entries } = packed;
  const [size, hash] = [formatBytes(packed.bytes), `sha256 ${packed.sha256}`];
  const what = tr(`${formatCount(entries, 'file')}, ${size}, ${hash}`, `${entries} 个文件，${size}，${hash}`);
  const advice = `${tr('Install it: ', '安装它：')}hob install ${quoteWord(packed.file)}`;
  process.stdout.write(`${packed.file}\n${what}\n${advice}\n`);
}

/** Throws if the target exists and must not be replaced. A symbolic link is replaced, not followed; devices and pipes never are. */
async function refuseExisting(target: string, mayReplace: boolean): Promise<void> {
  const found = await lstat(target).catch(() => null);
  if (found === null) return;
  if (!found.isFile() && !found.isSymbolicLink())
    throw userError(
      `${target} is not a regular file and will not be replaced. Choose another file with -o.`,
      `${target} 不是文件，不会被替换。请用 -o 指定其他文件。`,
    );
  if (!mayReplace)
    throw userError(
      `${target} already exists. Use --force to replace it, or choose another file with -o.`,
      `${target} 已存在。加上 --force 可替换它，或用 -o 指定其他文件。`,
    );
}

async function packInto(folder: string, target: string): ReturnType<typeof packFolder> {
  const interrupt = catchInterrupt();
  try {
    return await packFolder(folder, { target, signal: interrupt.signal });
  } catch (error) {
    if (interrupt.signal.aborted) throw new UserError(nothingPacked, interrupt.exitCode);
    if (error instanceof AppError) throw new UserError(explain(error));
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw userError(
      `Cannot write ${target} (${errno}). Choose another file with -o.`,
      `无法写入 ${target}（${errno}）。请用 -o 指定其他文件。`,
    );
  } finally {
    interrupt.release();
  }
}

async function targetOf(output: string | undefined, fileName: string): Promise<string> {
  if (output === undefined) return resolve(fileName);
  if (output === '')
    throw usageError('Specify the file to write after -o.', '请在 -o 之后写明要写入的文件。');
  const path = resolve(output);
  if (await isFolder(path)) return join(path, fileName);
  if (!(await isFolder(dirname(path))))
    throw userError(
      `The folder ${dirname(path)} does not exist. Create it first, or choose another file with -o.`,
      `要写入的文件夹 ${dirname(path)} 不存在。请先创建它，或用 -o 指定其他文件。`,
    );
  return path;
}

/** A file name that is valid on every system and still readable: `图片放大-1.0.0.zip`. */
export function packageFileName({ name, version }: { name: string; version: string | null }): string {
  return `${safeFileName(name, version ?? '')}.zip`;
}
