import { fileURLToPath } from 'node:url';

import { searchPath } from '../../settings/login-service.ts';
import { tr } from '../language.ts';
import { UserError } from '../user-error.ts';
import { launchd } from './launchd.ts';
import type { Platform } from './login-service.ts';
import { systemd } from './systemd.ts';
import { taskScheduler } from './task-scheduler.ts';

const makers: Readonly<Partial<Record<NodeJS.Platform, typeof systemd>>> = {
  linux: systemd,
  darwin: launchd,
  win32: taskScheduler,
};

/** The login service of this platform, for the Hob of a home. */
export function findPlatform(home: string): Platform {
  const make = makers[process.platform];
  if (make === undefined)
    throw new UserError(
      tr(
        `Automatic start at login is not supported on ${process.platform}. Configure the system to run: hob serve`,
        `Hob 不知道在 ${process.platform} 上如何让程序登录时启动。请自行让系统运行：hob serve`,
      ),
    );
  return make({
    node: process.execPath,
    // The same relative path works from src and from the build output.
    command: fileURLToPath(new URL('../../../bin/hob.js', import.meta.url)),
    home,
    path: searchPath(),
  });
}
