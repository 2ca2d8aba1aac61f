import Type, { type Static } from 'typebox';

import { sourceKinds } from '../contract/values.ts';
import { defaultFetchLimits, type FetchLimits } from '../packages/package-source.ts';
import type { Text } from '../shared/text.ts';

/*
 * An export is a tar.gz with
 *   export.json       the manifest
 *   settings.toml     without settings of the old machine
 *   triggers.toml     the triggers; absent in exports of older releases
 *   scripts/          the scripts of the user
 *   runs/<id>.json    the record of a run, and runs/<id>/ its files
 */
export const format = 1;
export const manifestName = 'export.json';
export const triggersName = 'triggers.toml';

const nullableText = Type.Union([Type.String(), Type.Null()]);

export const ManifestSchema = Type.Object({
  format: Type.Literal(format),
  hob: Type.String(),
  exported_at: Type.String(),
  counts: Type.Object({ scripts: Type.Integer(), packages: Type.Integer(), runs: Type.Integer() }),
  packages: Type.Array(
    Type.Object({
      script_id: Type.String(),
      name: Type.String(),
      version: nullableText,
      source: Type.Object({
        kind: Type.Enum([...sourceKinds]),
        location: Type.String(),
        ref: nullableText,
        path: nullableText,
      }),
    }),
  ),
  /** Absent in exports of older releases. */
  slugs: Type.Optional(
    Type.Array(
      Type.Object({
        slug: Type.String(),
        script_id: Type.String(),
        current: Type.Boolean(),
        own: Type.Boolean(),
        declared: nullableText,
      }),
    ),
  ),
  /** The choices that allow agents less than the rule. Absent in exports of older releases. */
  agents: Type.Optional(
    Type.Array(
      Type.Object({
        script_id: Type.String(),
        offered: Type.Optional(Type.Literal(false)),
        asks: Type.Optional(Type.Literal(true)),
      }),
    ),
  ),
});
export type Manifest = Static<typeof ManifestSchema>;

/** Far more than a home has. The size is limited by the disk only. */
export const exportLimits: FetchLimits = {
  ...defaultFetchLimits,
  entries: 2_000_000,
  totalBytes: Number.MAX_SAFE_INTEGER,
};

/** A file or folder that is not transferred, and the reason. */
export interface Skipped {
  readonly what: string;
  readonly why: Text;
}
