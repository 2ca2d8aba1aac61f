import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { isAlive } from '../shared/is-alive.ts';
import { addressFileEnd, type ExecutorAddress, executorFolder } from './messages.ts';

/** The living executors of a home, according to their address files and process ids. */
export async function findExecutors(home: string): Promise<ExecutorAddress[]> {
  const folder = join(home, executorFolder);
  const names = await readdir(folder).catch(() => []);
  const found: ExecutorAddress[] = [];
  for (const name of names.filter((each) => each.endsWith(addressFileEnd))) {
    const address = parseAddress(await readFile(join(folder, name), 'utf8').catch(() => ''));
    if (address !== null && isAlive(address.pid)) found.push(address);
  }
  return found;
}

function parseAddress(text: string): ExecutorAddress | null {
  try {
    const value: unknown = JSON.parse(text);
    return isAddress(value) ? value : null;
  } catch {
    // An executor that exits has removed the file meanwhile.
    return null;
  }
}

function isAddress(value: unknown): value is ExecutorAddress {
  if (typeof value !== 'object' || value === null) return false;
  const has = (key: string, type: string) => typeof Reflect.get(value, key) === type;
  return (
    has('pid', 'number') &&
    has('protocol', 'number') &&
    ['instance', 'version', 'socket', 'secret'].every((key) => has(key, 'string'))
  );
}
