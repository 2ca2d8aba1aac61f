import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where a Python is that belongs to the system. Which one it is does not matter: no script is run by it. */
const places = ['/usr/bin/python3', '/usr/local/bin/python3'];

/** What a launcher is made of; null where there is no Python, or nothing to be gained: elsewhere Node itself starts programs quickly. */
export function findLauncher(): { python: string; program: string } | null {
  if (process.platform !== 'linux') return null;
  const python = places.find((path) => existsSync(path));
  const program = fileURLToPath(new URL('launcher.py', import.meta.url));
  return python === undefined ? null : { python, program };
}
