import { readFileSync } from 'node:fs';

/** The version in package.json. */
export function readVersion(): string {
  const manifest = readPackage();
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('package.json has no version');
}

/** The range of Node versions in package.json. */
export function readNodeRange(): string {
  const engines: unknown = Reflect.get(Object(readPackage()), 'engines');
  return String(Reflect.get(Object(engines), 'node') ?? '*');
}

/** The source and the build are both two folders below package.json. */
function readPackage(): unknown {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}

export const interfaceVersion = '0.3.0';
