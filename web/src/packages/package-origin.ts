import type { Operation } from '../api/wire.ts';
import { inputClasses } from '../parts/field.tsx';

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

/** The attributes of the text field for one part of an origin. */
export function originField(
  origin: PackageOrigin,
  name: keyof PackageOrigin,
  onChange: (origin: PackageOrigin) => void,
) {
  return {
    value: origin[name],
    spellCheck: false,
    autoComplete: 'off',
    onChange: ({ target }: { target: HTMLInputElement }) => onChange({ ...origin, [name]: target.value }),
    className: inputClasses,
  };
}
