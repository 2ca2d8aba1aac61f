import type { Operation } from '../api/wire.ts';

/** The source of a package, as entered in the form. */
export interface PackageOrigin {
  readonly source: string;
  readonly ref: string;
  readonly path: string;
}

export const emptyOrigin: PackageOrigin = { source: '', ref: '', path: '' };

export function originOf({ location, ref, path }: NonNullable<Operation['source']>): PackageOrigin {
  return { source: location, ref: ref ?? '', path: path ?? '' };
}

/** The request body, without empty fields. */
export function requestOf(origin: PackageOrigin): Record<string, string> {
  const said = Object.entries(origin)
    .map(([name, text]: [string, string]) => [name, text.trim()] as const)
    .filter(([, text]) => text !== '');
  return Object.fromEntries(said);
}
