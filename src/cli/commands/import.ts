import type { Command } from 'commander';
import { formatBytes } from '../../contract/quantities.ts';
import { resolveHome } from '../../settings/home.ts';
import { type Imported, importHome } from '../../transfer/import-home.ts';
import { quoteWord } from '../command-lines.ts';
import { tr } from '../language.ts';
import { describeSkipped, transferring } from '../offline/transfer.ts';
import {
  type CommonOptions,
  exitCodesText,
  helpText,
  homeOption,
  plainJsonOption,
  withSignature,
} from '../options.ts';
import { printJson } from '../terminal/print.ts';
import { formatCount, formatMinute, printable } from '../terminal/text.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '<file>': ['file that hob export wrote', 'hob export 写入的文件'],
    '--merge': [
      'add to a home that is not empty, and overwrite nothing',
      '添加到非空的数据目录，不覆盖任何内容',
    ],
    ...homeOption,
    ...plainJsonOption,
  })
    .addHelpText('after', examples + exitCodesText)
    .action(importFrom);
}

const examples = helpText(
  ['hob import hob.tar.gz', 'hob import hob.tar.gz --merge'],
  `Adds the scripts, settings, triggers and runs of an export to the home, and lists the packages to install. Triggers arrive switched
off. Stop the service first. A home that already has scripts, settings or runs needs --merge: Hob then skips everything that the home
already has, and says so.`,
  `把导出文件中的脚本、设置、触发器和运行记录添加到数据目录，并列出需要安装的脚本包。导入的触发器均处于关闭状态。请先停止服务。数据目录中已有脚本、设置或运行记录时，
须加上 --merge：已有的内容会被跳过，并一一说明。`,
);

async function importFrom(
  file: string,
  { home: flag, merge, json }: CommonOptions & { merge?: boolean },
): Promise<void> {
  const home = resolveHome(flag);
  const imported = await transferring(tr('Nothing was imported.', '没有导入任何内容。'), (signal, show) =>
    importHome({
      home,
      file,
      merge: merge === true,
      signal,
      onProgress: ({ entriesDone, bytesDone }) =>
        show(
          tr(
            `Unpacking: ${formatCount(entriesDone, 'file')}, ${formatBytes(bytesDone)}`,
            `正在解压：${entriesDone} 个文件，${formatBytes(bytesDone)}`,
          ),
        ),
    }),
  );
  if (json === true) printJson(asJson(imported));
  else process.stdout.write(describe(imported, home));
}

function describe(
  { manifest, scripts, runs, hasSettings, triggers, skipped, packages }: Imported,
  home: string,
): string {
  const from = `Hob ${manifest.hob}, ${formatMinute(manifest.exported_at)}`;
  const lines = [
    tr(`Imported into ${home} (${from}):`, `已导入 ${home}（${from}）：`),
    `  ${tr(formatCount(scripts.length, 'script folder'), `${scripts.length} 个脚本文件夹`)}`,
    `  ${tr(formatCount(runs, 'run'), `${runs} 次运行`)}`,
    ...(hasSettings ? [`  ${tr('the settings', '设置')}`] : []),
    ...describeTriggers(triggers),
    ...describeSkipped(skipped),
    ...(packages.length === 0
      ? []
      : [
          tr('Packages to install (start Hob first):', '需要安装的脚本包（请先启动 Hob）：'),
          ...packages.map(installLine),
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** They arrive switched off, so the user learns how to switch them on. */
function describeTriggers({ ids, wereOn, secrets }: Imported['triggers']): string[] {
  if (ids.length === 0) return [];
  const words = printable(wereOn.map(quoteWord).join(' '));
  return [
    `  ${tr(`${formatCount(ids.length, 'trigger')}, all of them switched off`, `${ids.length} 个触发器，均已关闭`)}`,
    ...(wereOn.length === 0
      ? []
      : [
          tr(
            `    To switch on those that were on (first switch them off on the old machine): hob triggers resume ${words}`,
            `    开启原先开启的触发器（请先在旧电脑上关闭）：hob triggers resume ${words}`,
          ),
        ]),
    ...secrets.map((secret) => {
      const name = printable(quoteWord(secret));
      return tr(
        `    The export contains no secrets. Store it again: hob secret set ${name}`,
        `    导出文件中没有密钥，请重新保存：hob secret set ${name}`,
      );
    }),
  ];
}

function installLine({ name, source }: Imported['packages'][number]): string {
  const { location, ref, path } = source;
  const words = ['hob', 'install', location];
  if (ref !== null) words.push('--ref', ref);
  if (path !== null) words.push('--path', path);
  const place = source.kind === 'git' ? '' : tr(', copy it from the old machine first', '，请先从旧电脑复制');
  return `  ${printable(words.map(quoteWord).join(' '))}   # ${printable(name)}${place}`;
}

function asJson({ manifest, scripts, runs, hasSettings, triggers, skipped, packages }: Imported) {
  const { hob, exported_at } = manifest;
  const named = skipped.map(({ what, why }) => ({ what, why: why.en }));
  const { ids, wereOn, secrets } = triggers;
  const imported = { ids, were_on: wereOn, secrets };
  return {
    hob,
    exported_at,
    scripts,
    runs,
    settings: hasSettings,
    triggers: imported,
    skipped: named,
    packages,
  };
}
