import { stat } from 'node:fs/promises';
import { dirname, extname } from 'node:path';

import { AppError } from '../shared/errors.ts';
import { hasDisplay } from '../shared/has-display.ts';
import { openOnDesktop } from '../shared/open-on-desktop.ts';

interface DeskOptions {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Opens a folder, or the folder of a file, on the user's desktop. Resolves with the opened folder. The path comes from the output of a
 * script, so the file itself is never opened: that could run a program.
 */
export async function openFolder(path: string, { platform, environment }: DeskOptions): Promise<string> {
  const folder = await folderOf(path, platform);
  if (platform !== 'darwin' && platform !== 'win32' && !hasDisplay(environment)) {
    throw unavailable(folder, {
      en: 'the machine has no desktop (neither DISPLAY nor WAYLAND_DISPLAY is set)',
      zh: '没有桌面（DISPLAY 和 WAYLAND_DISPLAY 均未设置）',
    });
  }
  const failure = await openOnDesktop('folder', folder, { platform, environment });
  if (failure === null) return folder;
  const { program, isMissing, reason } = failure;
  throw unavailable(
    folder,
    isMissing
      ? { en: `${program} is not installed (package xdg-utils)`, zh: `没有 ${program}（软件包 xdg-utils）` }
      : { en: reason, zh: reason },
  );
}

async function folderOf(path: string, platform: NodeJS.Platform): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    throw new AppError('folder-missing', {
      en: `No such file or folder: ${path}`,
      zh: `路径不存在：${path}`,
      cause: error,
    });
  });
  // On macOS a folder with an extension may be an application. Opening it would run it.
  const isProgram = platform === 'darwin' && extname(path) !== '';
  return found.isDirectory() && !isProgram ? path : dirname(path);
}

function unavailable(folder: string, reason: { en: string; zh: string }): AppError {
  return new AppError('desktop-unavailable', {
    en: `Cannot open the folder: ${reason.en}`,
    zh: `无法显示文件夹：${reason.zh}`,
    hint: {
      en: `The folder is on the machine that Hob runs on: ${folder}`,
      zh: `它位于运行 Hob 的机器上：${folder}`,
    },
  });
}
