import { readFileSync } from 'node:fs';

/** The version in package.json. */
export function readVersion(): string {
  const manifest = readPackage();
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('package.json has no version');
}

/** Which versions of Node it says it works with. */
export function readNodeRange(): string {
  const engines: unknown = Reflect.get(Object(readPackage()), 'engines');
  return String(Reflect.get(Object(engines), 'node') ?? '*');
}

/** Source and build are both two folders below it. */
function readPackage(): unknown {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}

export const interfaceVersion = '0.3.0';
