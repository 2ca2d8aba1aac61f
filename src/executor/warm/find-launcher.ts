import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The places of a Python that belongs to the system. Its version does not matter: it runs no scripts. */
const places = ['/usr/bin/python3', '/usr/local/bin/python3'];

/**
 * The Python and the program of the launcher; null where there is no Python, or no benefit: on other systems Node
 * itself starts programs quickly.
 */
export function findLauncher(): { python: string; program: string } | null {
  if (process.platform !== 'linux') return null;
  const python = places.find((path) => existsSync(path));
  const program = fileURLToPath(new URL('launcher.py', import.meta.url));
  return python === undefined ? null : { python, program };
}
