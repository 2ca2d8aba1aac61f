import Type from 'typebox';
import Value from 'typebox/value';

import { sourceKinds } from '../../contract/values.ts';
import type { PackageSource } from '../package-source.ts';

/** One version of a package, as installed. */
export interface InstalledVersion {
  /** Version in the manifest, or null. */
  readonly version: string | null;
  readonly installedAt: string;
  readonly source: PackageSource;
  readonly commit: string | null;
  /** Hash of the content at installation, because scripts may write into their folders later. */
  readonly content: string | null;
}

/** The versions of a package, and which of them is current. */
export interface InstalledRecord {
  readonly id: string;
  /** Name of a version folder, such as `v3`. */
  readonly current: string;
  readonly previous: string | null;
  readonly versions: Readonly<Record<string, InstalledVersion>>;
}

const format = 1;
const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const text = Type.String({ maxLength: 8192 });
const folderName = Type.String({ pattern: '^v[1-9][0-9]{0,8}$' });

const VersionSchema = Type.Object({
  version: nullable(text),
  installed_at: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,20}Z$' }),
  source: Type.Object({
    kind: Type.Enum([...sourceKinds]),
    location: text,
    ref: nullable(text),
    path: nullable(text),
  }),
  commit: nullable(text),
  content: Type.Optional(nullable(text)),
});

const RecordSchema = Type.Object({
  format: Type.Literal(format),
  id: Type.String(),
  current: folderName,
  previous: nullable(folderName),
  versions: Type.Record(Type.String(), VersionSchema),
});

/** Parses the record of the package with this id; null if it is not valid. */
export function parseRecord(id: string, content: string): InstalledRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return null;
  }
  if (!Value.Check(RecordSchema, value) || value.id !== id || value.current === value.previous) return null;
  const versions: Record<string, InstalledVersion> = {};
  for (const name of namedIn(value)) {
    const version = Object.hasOwn(value.versions, name) ? value.versions[name] : undefined;
    if (version === undefined) return null;
    const { kind, location, ref, path } = version.source;
    versions[name] = {
      version: version.version,
      installedAt: version.installed_at,
      source: { kind, location, ref, path },
      commit: version.commit,
      content: version.content ?? null,
    };
  }
  return { id, current: value.current, previous: value.previous, versions };
}

export function formatRecord(record: InstalledRecord): string {
  const { id, current, previous } = record;
  const versions = namedIn(record).map((name) => {
    const { version, installedAt, source, commit, content } = versionOf(record, name);
    const { kind, location, ref, path } = source;
    const entry = { version, installed_at: installedAt, source: { kind, location, ref, path } };
    return [name, { ...entry, commit, content }];
  });
  const value = { format, id, current, previous, versions: Object.fromEntries(versions) };
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The folders that a record refers to. */
export function namedIn({ current, previous }: { current: string; previous: string | null }): string[] {
  return previous === null ? [current] : [current, previous];
}

/** The version with this name. It exists in every valid record. */
export function versionOf({ versions }: InstalledRecord, name: string): InstalledVersion {
  const version = versions[name];
  if (version === undefined) throw new Error(`the record of a package has no version ${name}`);
  return version;
}
