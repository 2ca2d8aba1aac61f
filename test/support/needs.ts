import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What this machine may lack, and the reasons that count even where nothing may be skipped. */
const skips: { what: string; why: string }[] = JSON.parse(
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
      // Not in this folder.
    }
  }
  return null;
}

/**
 * Whether something that only some machines have is here. Where it is not, one line says so; in CI that is a failure
 * unless the list in test/skips.json has it with its reason.
 */
export function has(what: string, isHere: boolean): boolean {
  if (isHere) return true;
  const listed = skips.find((skip) => skip.what === what);
  if (process.env.CI === 'true' && listed === undefined) {
    throw new Error(`${what} is missing on this machine, and test/skips.json does not excuse it`);
  }
  process.stderr.write(`skipped: ${what} (${listed?.why ?? 'not on this machine'})\n`);
  return false;
}
