import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { resolveHome } from '../settings/home.ts';
import { isAlive } from '../shared/is-alive.ts';
import { parseServiceInfo, type ServiceInfo, serviceFile } from '../shared/service-file.ts';

/** The running service of a home; null when there is none, even if a killed one left its file behind. */
export async function findService(home: string | undefined): Promise<ServiceInfo | null> {
  const path = join(resolveHome(home), serviceFile);
  const info = parseServiceInfo(await readFile(path, 'utf8').catch(() => ''));
  return info !== null && isAlive(info.pid) ? info : null;
}
