import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { resolveHome } from '../settings/home.ts';
import { errnoOf } from '../shared/errors.ts';
import { isAlive, startTicksOf } from '../shared/is-alive.ts';
import { parseServiceInfo, type ServiceInfo, serviceFile } from '../shared/service-file.ts';
import { readToken, TokenError, tokenFileOf } from '../shared/token-file.ts';
import { UserError } from './user-error.ts';

/** What a command sends along so that a service which asks for its token lets it in. */
export function credentialsFor(home: string, { token: isNeeded }: ServiceInfo): Record<string, string> {
  if (!isNeeded) return {};
  try {
    const token = readToken(home);
    return token === null ? {} : { authorization: `Bearer ${token}` };
  } catch (error) {
    throw error instanceof TokenError ? new UserError(error.message) : error;
  }
}

export function wrongToken(home: string): UserError {
  return new UserError(
    `Hob asks for its token, and does not take what is in ${tokenFileOf(home)}. Make a new one: hob token --renew --home "${home}"`,
  );
}

/** The home in question, and the service that runs there: null when there is none, even if a killed one left its file. */
export async function findService(
  flag: string | undefined,
): Promise<{ home: string; service: ServiceInfo | null }> {
  const home = resolveHome(flag);
  const text = await readFile(join(home, serviceFile), 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return '';
    throw new UserError(
      `The home ${home} cannot be read (${errnoOf(error)}), so it is not known whether Hob runs there.`,
    );
  });
  const info = parseServiceInfo(text);
  // A killed service leaves its file; somebody else may have its process id by now, and its port.
  const isSame = info !== null && (info.startTicks === null || startTicksOf(info.pid) === info.startTicks);
  const isRunning = isSame && isAlive(info.pid);
  return { home, service: isRunning ? info : null };
}
