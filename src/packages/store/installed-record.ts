import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

import { sourceKinds } from '../../contract/values.ts';
import { tryParseJson } from '../../shared/json.ts';

const format = 1;
const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const text = Type.String({ maxLength: 8192 });
/** Name of a version folder, such as `v3`. */
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
  /** Hash of the content at installation, because scripts may write into their folders later. */
  content: Type.Optional(nullable(text)),
});

const RecordSchema = Type.Object({
  format: Type.Literal(format),
  id: Type.String(),
  current: folderName,
  previous: nullable(folderName),
  versions: Type.Record(Type.String(), VersionSchema),
});

/** One version of a package, as installed. */
export type InstalledVersion = Readonly<Static<typeof VersionSchema>>;

/** The versions of a package, and which of them is current. */
export type InstalledRecord = Readonly<Omit<Static<typeof RecordSchema>, 'format'>>;

/** Parses the record of the package with this id; null if it is not valid. */
export function parseRecord(id: string, content: string): InstalledRecord | null {
  const value: unknown = tryParseJson(content);
  if (!Value.Check(RecordSchema, value) || value.id !== id || value.current === value.previous) return null;
  const { versions } = value;
  return namedIn(value).every((name) => Object.hasOwn(versions, name)) ? value : null;
}

export function formatRecord({ id, current, previous, versions }: InstalledRecord): string {
  return `${JSON.stringify({ format, id, current, previous, versions }, null, 2)}\n`;
}

export function namedIn({ current, previous }: { current: string; previous: string | null }): string[] {
  return previous === null ? [current] : [current, previous];
}

/** The version with this name. It exists in every valid record. */
export function versionOf({ versions }: InstalledRecord, name: string): InstalledVersion {
  const version = versions[name];
  if (version === undefined) throw new Error(`the record of a package has no version ${name}`);
  return version;
}
