import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { resolveHome } from '../settings/home.ts';
import { isAlive } from '../shared/is-alive.ts';
import { parseServiceInfo, type ServiceInfo, serviceFile } from '../shared/service-file.ts';
import { readToken, TokenError } from '../shared/token-file.ts';
import { UserError } from './user-error.ts';

/** What a command sends along so that a service which asks for its token lets it in. */
export function credentialsFor(home: string): Record<string, string> {
  try {
    const token = readToken(home);
    return token === null ? {} : { authorization: `Bearer ${token}` };
  } catch (error) {
    throw error instanceof TokenError ? new UserError(error.message) : error;
  }
}

/** The home in question, and the service that runs there: null when there is none, even if a killed one left its file. */
export async function findService(
  flag: string | undefined,
): Promise<{ home: string; service: ServiceInfo | null }> {
  const home = resolveHome(flag);
  const info = parseServiceInfo(await readFile(join(home, serviceFile), 'utf8').catch(() => ''));
  return { home, service: info !== null && isAlive(info.pid) ? info : null };
}
