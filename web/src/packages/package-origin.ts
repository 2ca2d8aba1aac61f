import type { Operation } from '../api/wire.ts';

/** Where a package is to come from, as it stands in the form. */
export interface PackageOrigin {
  readonly source: string;
  readonly ref: string;
  readonly path: string;
}

export const nowhere: PackageOrigin = { source: '', ref: '', path: '' };

export function originOf({ location, ref, path }: NonNullable<Operation['source']>): PackageOrigin {
  return { source: location, ref: ref ?? '', path: path ?? '' };
}

/** The body of the request; what was not said is left out. */
export function requestOf(origin: PackageOrigin): Record<string, string> {
  const said = Object.entries(origin)
    .map(([name, text]: [string, string]) => [name, text.trim()] as const)
    .filter(([, text]) => text !== '');
  return Object.fromEntries(said);
}
