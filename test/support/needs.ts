import { spawnSync } from 'node:child_process';
import { accessSync, appendFileSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { expect } from 'vitest';

/** Programs that a machine may lack even in CI, and why. */
export const skips: readonly { what: string; why: string }[] = JSON.parse(
  readFileSync(new URL('../skips.json', import.meta.url), 'utf8'),
);

/** PATH of the scripts under test, with the interpreters that the test command installed. */
export const testPath = [process.env.TEST_TOOLS_PATH, process.env.PATH].filter(Boolean).join(delimiter);

export function findProgram(name: string): string | null {
  for (const folder of testPath.split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder. Try the next.
    }
  }
  return null;
}

/** The folder of an npm package that the test command installed. */
export function findPackage(name: string): string | null {
  const folders = (process.env.TEST_PACKAGES_PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder)) ?? null;
}

/**
 * Whether an optional program or feature is present on this machine. If not, notes it for the end of the output. In CI it throws,
 * unless test/skips.json lists it with a reason; except in `npm test`, which installs nothing.
 */
export function has(what: string, isHere: boolean): boolean {
  if (isHere) return true;
  const isListed = skips.some((skip) => skip.what === what);
  if (process.env.CI === 'true' && process.env.TEST_PART !== 'default' && !isListed) {
    throw new Error(`${what} is missing on this machine, and test/skips.json does not excuse it`);
  }
  const notes = process.env.TEST_LACKS;
  if (notes !== undefined) {
    appendFileSync(notes, `${JSON.stringify({ what, file: expect.getState().testPath ?? '' })}\n`);
  }
  return false;
}

export function succeeds([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
