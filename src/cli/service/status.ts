import { readFile } from 'node:fs/promises';

import { runCommand } from '../../shared/run-command.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import type { CommonOptions } from '../options.ts';
import { printJson } from '../terminal/print-json.ts';
import { findPlatform } from './find-platform.ts';
import type { Platform } from './login-service.ts';

/** `hob service status`: whether it is installed, and whether Hob runs, which it may do without. */
export async function showStatus({ home: flag, json }: CommonOptions): Promise<void> {
  const { home, service } = await findService(flag);
  const platform = findPlatform(home);
  const installed = await readFile(platform.file, platform.encoding).catch(() => null);
  const isActive =
    installed !== null && (await runCommand(platform.isActive.tool, platform.isActive.args)).ok;
  if (json === true) {
    printJson({
      installed: installed !== null,
      kind: platform.kind,
      file: platform.file,
      active: isActive,
      home,
      running: service !== null,
      pid: service?.pid ?? null,
      version: service?.version ?? null,
      url: service?.url ?? null,
    });
    return;
  }
  const advice = installed === null ? null : await platform.advice();
  const lines = [
    ...describeInstalled(platform, { installed, isActive, home }),
    service === null
      ? tr(`Hob is not running (home: ${home}).`, `Hob 没有运行（数据目录：${home}）。`)
      : tr(
          `Hob ${service.version} runs at ${service.url} (process ${service.pid}, home: ${home}).`,
          `Hob ${service.version} 正在 ${service.url} 运行（进程 ${service.pid}，数据目录：${home}）。`,
        ),
    ...(advice === null ? [] : [advice]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function describeInstalled(
  { kind, file, whyCommand }: Platform,
  { installed, isActive, home }: { installed: string | null; isActive: boolean; home: string },
): string[] {
  if (installed === null)
    return [
      tr(
        'Hob is not started at login. To have that: hob service install',
        'Hob 不会在登录时启动。需要的话：hob service install',
      ),
    ];
  return [
    tr(`Installed with ${kind}: ${file}`, `已通过 ${kind} 安装：${file}`),
    isActive
      ? tr(`${kind} has started it.`, `${kind} 已将其启动。`)
      : tr(
          `${kind} does not run it. To find out why: ${whyCommand}`,
          `${kind} 没有在运行它。查看原因：${whyCommand}`,
        ),
    ...(installed.includes(home)
      ? []
      : [
          tr(
            `It was installed for another home than ${home}: look into the file.`,
            `它是为另一个数据目录安装的，不是 ${home}，详见该文件。`,
          ),
        ]),
  ];
}
