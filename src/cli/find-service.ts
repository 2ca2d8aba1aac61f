import { resolveHome } from '../settings/home.ts';
import { homeOfRun } from '../settings/run-variables.ts';
import { errnoOf } from '../shared/errors.ts';
import { findRunningService, type ServiceInfo } from '../shared/service-file.ts';
import { type UserError, userError } from './user-error.ts';

/** The home that a command uses. Inside a script, the default is the Hob that runs the script. */
export function homeOf(flag: string | undefined): string {
  return resolveHome(flag ?? homeOfRun() ?? undefined);
}

/** The home and the service that runs in it. The service is null if none runs, even if a killed one left its file behind. */
export async function findService(
  flag: string | undefined,
): Promise<{ home: string; service: ServiceInfo | null }> {
  const home = homeOf(flag);
  const service = await findRunningService(home).catch((error: unknown) => {
    throw unreadableHome(home, error);
  });
  return { home, service };
}

export function unreadableHome(home: string, error: unknown): UserError {
  return userError(
    `Cannot read the home folder ${home} (${errnoOf(error)}), so it is unknown whether Hob is running. Check the permissions of the folder.`,
    `无法读取数据目录 ${home}（${errnoOf(error)}），因此不知道 Hob 是否在运行。请检查该文件夹的权限。`,
  );
}
