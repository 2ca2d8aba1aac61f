import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { resolveHome } from '../settings/home.ts';
import { isAlive } from '../shared/is-alive.ts';
import { parseServiceInfo, type ServiceInfo, serviceFile } from '../shared/service-file.ts';

/** The home in question, and the service that runs there: null when there is none, even if a killed one left its file. */
export async function findService(
  flag: string | undefined,
): Promise<{ home: string; service: ServiceInfo | null }> {
  const home = resolveHome(flag);
  const info = parseServiceInfo(await readFile(join(home, serviceFile), 'utf8').catch(() => ''));
  return { home, service: info !== null && isAlive(info.pid) ? info : null };
}
