import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../../contract/quantities.ts';
import { resolveHome } from '../../settings/home.ts';
import { localDay } from '../../shared/clock.ts';
import { type Exported, exportHome } from '../../transfer/export-home.ts';
import { quoteWord } from '../command-lines.ts';
import { tr } from '../language.ts';
import { describeSkipped, isFolder, transferring } from '../offline/transfer.ts';
import {
  type CommonOptions,
  exitCodesText,
  helpText,
  homeOption,
  plainJsonOption,
  withSignature,
} from '../options.ts';
import { printJson } from '../terminal/print.ts';
import { formatCount, printable } from '../terminal/text.ts';
import { userError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '<file>': ['file or folder to write to', '要写入的文件或文件夹'],
    '--force': ['replace an existing file', '替换已有的文件'],
    ...homeOption,
    ...plainJsonOption,
  })
    .addHelpText('after', examples + exitCodesText)
    .action(exportTo);
}

const examples = helpText(
  ['hob export hob.tar.gz', 'hob export /media/usb'],
  `Writes your scripts, the list of installed packages, the settings, the triggers and the history to a .tar.gz file for hob import on
another machine. The service may be running. The file contains no tokens, no secrets and no models. Only you can read it.`,
  `把您的脚本、已安装脚本包的清单、设置、触发器和运行记录写入一个 .tar.gz 文件，供另一台电脑用 hob import 导入。服务可以正在运行。
文件中没有令牌、密钥、保密参数和模型，只有您可以读取。`,
);

async function exportTo(
  text: string,
  { home: flag, force, json }: CommonOptions & { force?: boolean },
): Promise<void> {
  const home = resolveHome(flag);
  if (!(await isFolder(home)))
    throw userError(`The home ${home} does not exist.`, `数据目录 ${home} 不存在。`);
  const target = await targetOf(text, force === true);
  const exported = await transferring(tr('Nothing was exported.', '没有导出任何内容。'), (signal, show) =>
    exportHome({
      home,
      target,
      signal,
      onProgress: ({ runsDone, runs, bytesDone }) =>
        show(
          tr(
            `Exporting: ${runsDone} of ${formatCount(runs, 'run')}, ${formatBytes(bytesDone)}`,
            `正在导出：第 ${runsDone} 次运行，共 ${runs} 次，${formatBytes(bytesDone)}`,
          ),
        ),
    }),
  );
  if (json === true) printJson(asJson(exported));
  else process.stdout.write(describe(exported));
}

function describe({ file, bytes, manifest, skipped, leftOut }: Exported): string {
  const { scripts, packages, runs } = manifest.counts;
  const counts = tr(
    `${formatCount(scripts, 'script')}, ${formatCount(runs, 'run')}, the source of ${formatCount(packages, 'package')}, ${formatBytes(bytes)}`,
    `${scripts} 个脚本，${runs} 次运行，${packages} 个脚本包的来源，${formatBytes(bytes)}`,
  );
  const lines = [
    printable(file),
    counts,
    ...describeSkipped(skipped),
    ...(leftOut.length === 0
      ? []
      : [
          tr(
            `Not included, because it can be created again: ${formatCount(leftOut.length, 'environment, cache or .git folder')}, such as ${printable(leftOut[0] ?? '')}`,
            `未包含可以重新生成的内容：运行环境、缓存或 .git 共 ${leftOut.length} 项，例如 ${printable(leftOut[0] ?? '')}`,
          ),
        ]),
    `${tr('On the other machine: ', '在另一台电脑上：')}hob import ${quoteWord(file)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function asJson({ file, bytes, manifest, skipped, leftOut }: Exported) {
  const { hob, exported_at, counts } = manifest;
  const named = skipped.map(({ what, why }) => ({ what, why: why.en }));
  return { file, bytes, hob, exported_at, counts, skipped: named, left_out: [...leftOut] };
}

async function targetOf(text: string, mayReplace: boolean): Promise<string> {
  const path = resolve(text);
  const file = (await isFolder(path)) ? join(path, `hob-${localDay(new Date())}.tar.gz`) : path;
  if (!(await isFolder(dirname(file))))
    throw userError(
      `The folder ${dirname(file)} does not exist. Create it first.`,
      `文件夹 ${dirname(file)} 不存在。请先创建它。`,
    );
  const found = await lstat(file).catch(() => null);
  if (found === null) return file;
  if (!found.isFile())
    throw userError(
      `${file} is not a regular file and will not be replaced.`,
      `${file} 不是普通文件，不会被替换。`,
    );
  if (!mayReplace)
    throw userError(
      `${file} already exists. Use --force to replace it, or choose another file.`,
      `${file} 已存在。加上 --force 可替换它，或指定其他文件。`,
    );
  return file;
}
