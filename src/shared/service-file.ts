import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from './errors.ts';
import { replacePrivateFile } from './private-files.ts';
import { isAlive, startTicksOf } from './process-stat.ts';

/** The file in the home that contains the address of its running service. */
export const serviceFile = 'service.json';

export interface ServiceInfo {
  readonly pid: number;
  readonly url: string;
  readonly version: string;
  /**
   * Start time of the process, in ticks since the boot, if the system reports it: another process may get the same id
   * later.
   */
  readonly startTicks: number | null;
  /** Whether the service requires its token. */
  readonly token: boolean;
  /** The folders with scripts, besides the one in the home. */
  readonly scripts: readonly string[];
}

/** Writes the address of this service to the home. Returns a function that removes it. */
export async function announceService(
  home: string,
  {
    url,
    version,
    token,
    scripts = [],
  }: Pick<ServiceInfo, 'url' | 'version' | 'token'> & { scripts?: readonly string[] },
): Promise<() => Promise<void>> {
  const { pid } = process;
  const info: ServiceInfo = { pid, url, version, startTicks: startTicksOf(pid), token, scripts };
  const path = join(home, serviceFile);
  await replacePrivateFile(path, `${JSON.stringify(info, null, 2)}\n`);
  return () => rm(path, { force: true });
}

export function parseServiceInfo(text: string): ServiceInfo | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    if (!('pid' in value && 'url' in value && 'version' in value)) return null;
    if (typeof value.pid !== 'number' || typeof value.url !== 'string') return null;
    return {
      pid: value.pid,
      url: value.url,
      version: String(value.version),
      startTicks: 'startTicks' in value && typeof value.startTicks === 'number' ? value.startTicks : null,
      token: 'token' in value && value.token === true,
      scripts: 'scripts' in value && Array.isArray(value.scripts) ? value.scripts.map(String) : [],
    };
  } catch {
    return null;
  }
}

/**
 * Returns the service that runs in a home; null if none runs, even if a killed one left its file. Rejects if the home
 * cannot be read.
 */
export async function findRunningService(home: string): Promise<ServiceInfo | null> {
  const text = await readFile(join(home, serviceFile), 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  });
  const info = parseServiceInfo(text);
  // A killed service leaves its file. Another process may have its id and its port now.
  const isSame = info !== null && (info.startTicks === null || startTicksOf(info.pid) === info.startTicks);
  return isSame && isAlive(info.pid) ? info : null;
}
