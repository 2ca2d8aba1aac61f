import { access, rm } from 'node:fs/promises';

import { errnoOf } from '../../shared/errors.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { printJson } from '../terminal/print-json.ts';
import { UserError } from '../user-error.ts';
import { callTools, commandLine } from './call-tools.ts';
import { findPlatform } from './find-platform.ts';
import type { ServiceOptions } from './install.ts';

/** `hob service uninstall`: stops Hob and disables automatic start. Scripts and history are kept. */
export async function uninstallService({ home: flag, dryRun, json }: ServiceOptions): Promise<void> {
  const { home } = await findService(flag);
  const platform = findPlatform(home);
  if (dryRun === true && json === true) return printJson({ removed: false, file: platform.file });
  if (dryRun === true) {
    const [before, after] = [platform.beforeRemoval, platform.afterRemoval].map((calls) =>
      calls.map((call) => `  ${commandLine(call)}\n`).join(''),
    );
    const removal = tr(`  remove ${platform.file}`, `  删除 ${platform.file}`);
    process.stdout.write(`${tr('Would perform these steps:', '将执行：')}\n${before}${removal}\n${after}`);
    return;
  }
  if (!(await exists(platform.file))) {
    if (json === true) return printJson({ removed: false, file: platform.file });
    process.stdout.write(tr('Automatic start is not installed.\n', '没有安装登录服务。\n'));
    return;
  }
  await callTools(platform.beforeRemoval);
  await rm(platform.file, { force: true }).catch((error: unknown) => {
    throw new UserError(
      tr(
        `Cannot remove ${platform.file} (${errnoOf(error)}). Check the permissions of the folder.`,
        `无法删除 ${platform.file}（${errnoOf(error)}）。请检查文件夹权限。`,
      ),
    );
  });
  // These commands fail without a user session, and are then not needed.
  await callTools(platform.afterRemoval.map((call) => ({ ...call, mayFail: true })));
  if (json === true) return printJson({ removed: true, file: platform.file });
  process.stdout.write(
    tr(
      `Removed ${platform.file}. Your scripts and run history remain in ${home}.\n`,
      `已删除 ${platform.file}。脚本和运行历史仍保留在 ${home}。\n`,
    ),
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
