import { readFile } from 'node:fs/promises';

import { runCommand } from '../../shared/run-command.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import type { CommonOptions } from '../options.ts';
import { printJson } from '../terminal/print-json.ts';
import { findPlatform } from './find-platform.ts';
import type { Platform } from './login-service.ts';

/** `hob service status`: shows whether the login service is installed, and whether Hob is running. */
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
          `Hob ${service.version} is running at ${service.url} (process ${service.pid}, home: ${home}).`,
          `Hob ${service.version} 正在 ${service.url} 运行（进程 ${service.pid}，数据目录：${home}）。`,
        ),
    ...(advice === null ? [] : [advice]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function describeInstalled(
  { kind, file, diagnosisCommand }: Platform,
  { installed, isActive, home }: { installed: string | null; isActive: boolean; home: string },
): string[] {
  if (installed === null)
    return [
      tr(
        'Hob does not start at login. To enable this: hob service install',
        'Hob 不会在登录时启动。需要的话：hob service install',
      ),
    ];
  return [
    tr(`Installed with ${kind}: ${file}`, `已通过 ${kind} 安装：${file}`),
    isActive
      ? tr(`Started by ${kind}.`, `${kind} 已将其启动。`)
      : tr(
          `Not running under ${kind}. To find the cause: ${diagnosisCommand}`,
          `${kind} 没有在运行它。查看原因：${diagnosisCommand}`,
        ),
    ...(installed.includes(home)
      ? []
      : [
          tr(
            `It is installed for a home other than ${home}. See the file above.`,
            `它是为另一个数据目录安装的，不是 ${home}，详见该文件。`,
          ),
        ]),
  ];
}
