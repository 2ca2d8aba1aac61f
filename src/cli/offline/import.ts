import { resolveHome } from '../../settings/home.ts';
import { type Imported, importHome } from '../../transfer/import-home.ts';
import { tr } from '../language.ts';
import { quoteWord } from '../quote-word.ts';
import { DrawnLine } from '../terminal/drawn-line.ts';
import { printJson } from '../terminal/print-json.ts';
import { formatBytes, formatCount, formatMinute } from '../terminal/quantities.ts';
import { printable } from '../terminal/text-width.ts';
import { describeSkipped, transferring } from './transferring.ts';

export interface ImportOptions {
  home?: string;
  merge?: boolean;
  json?: boolean;
}

/** `hob import`: adds an export to a home. */
export async function importFrom(file: string, { home: flag, merge, json }: ImportOptions): Promise<void> {
  const home = resolveHome(flag);
  const line = new DrawnLine(process.stderr);
  const imported = await transferring(tr('Nothing was imported.', '没有导入任何内容。'), async (signal) => {
    try {
      return await importHome({
        home,
        file,
        merge: merge === true,
        signal,
        onProgress: ({ entriesDone, bytesDone }) => {
          if (process.stderr.isTTY)
            line.draw(() =>
              tr(
                `Unpacking: ${formatCount(entriesDone, 'file')}, ${formatBytes(bytesDone)}`,
                `正在解压：${entriesDone} 个文件，${formatBytes(bytesDone)}`,
              ),
            );
        },
      });
    } finally {
      line.clear();
    }
  });
  if (json === true) printJson(asJson(imported));
  else process.stdout.write(describe(imported, home));
}

function describe(
  { manifest, scripts, runs, hasSettings, skipped, packages }: Imported,
  home: string,
): string {
  const from = `Hob ${manifest.hob}, ${formatMinute(manifest.exported_at)}`;
  const lines = [
    tr(`Imported into ${home} (${from}):`, `已导入 ${home}（${from}）：`),
    `  ${tr(formatCount(scripts.length, 'script folder'), `${scripts.length} 个脚本文件夹`)}`,
    `  ${tr(formatCount(runs, 'run'), `${runs} 次运行`)}`,
    ...(hasSettings ? [`  ${tr('the settings', '设置')}`] : []),
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

function installLine({ name, source }: Imported['packages'][number]): string {
  const { location, ref, path } = source;
  const words = ['hob', 'install', location];
  if (ref !== null) words.push('--ref', ref);
  if (path !== null) words.push('--path', path);
  const place = source.kind === 'git' ? '' : tr(', copy it from the old machine first', '，请先从旧电脑复制');
  return `  ${printable(words.map(quoteWord).join(' '))}   # ${printable(name)}${place}`;
}

function asJson({ manifest, scripts, runs, hasSettings, skipped, packages }: Imported) {
  const { hob, exported_at } = manifest;
  const named = skipped.map(({ what, why }) => ({ what, why: why.en }));
  return {
    hob,
    exported_at,
    scripts: [...scripts],
    runs,
    settings: hasSettings,
    skipped: named,
    packages: [...packages],
  };
}
