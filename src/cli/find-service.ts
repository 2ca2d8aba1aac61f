import { resolveHome } from '../settings/home.ts';
import { homeOfRun } from '../settings/run-variables.ts';
import { errnoOf } from '../shared/errors.ts';
import { findRunningService, type ServiceInfo } from '../shared/service-file.ts';
import { readToken, TokenError, tokenFileOf } from '../shared/token-file.ts';
import { language } from './language.ts';
import { UserError, userError } from './user-error.ts';

/** The authorization header for a service that requires its token; empty for any other service. */
export function credentialsFor(home: string, { token: isNeeded }: ServiceInfo): Record<string, string> {
  if (!isNeeded) return {};
  try {
    const token = readToken(home);
    return token === null ? {} : { authorization: `Bearer ${token}` };
  } catch (error) {
    throw error instanceof TokenError ? new UserError(error.text[language]) : error;
  }
}

export function tokenRejected(home: string): UserError {
  return userError(
    `Hob rejected the token in ${tokenFileOf(home)}. Create a new one: hob token --renew --home "${home}"`,
    `Hob 需要令牌，但不接受 ${tokenFileOf(home)} 中的令牌。请重新生成：hob token --renew --home "${home}"`,
  );
}

/** The home and the service that runs in it. The service is null if none runs, even if a killed one left its file behind. */
export async function findService(
  flag: string | undefined,
): Promise<{ home: string; service: ServiceInfo | null }> {
  // Inside a script, the default is the Hob that runs the script.
  const home = resolveHome(flag ?? homeOfRun() ?? undefined);
  const service = await findRunningService(home).catch((error: unknown) => {
    throw userError(
      `Cannot read the home folder ${home} (${errnoOf(error)}), so it is unknown whether Hob is running. Check the permissions of the folder.`,
      `无法读取数据目录 ${home}（${errnoOf(error)}），因此不知道 Hob 是否在运行。请检查该文件夹的权限。`,
    );
  });
  return { home, service };
}
