import Type from 'typebox';

import { Nullable } from './common.ts';
import { ModelState } from './models.ts';

export const Problem = Type.Object(
  {
    severity: Type.Enum(['error', 'note']),
    file: Type.String(),
    line: Nullable(Type.Integer()),
    message: Type.String(),
    advice: Type.String(),
  },
  { additionalProperties: false },
);

const Model = Type.Object({
  source: Type.String(),
  repo_id: Type.String(),
  files: Type.Array(Type.String()),
});

const Script = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    version: Nullable(Type.String()),
    desc: Nullable(Type.String()),
    icon: Nullable(Type.String()),
    folder: Type.String(),
    manifest: Type.String(),
    language: Type.String(),
    language_version: Nullable(Type.String()),
    entry: Type.String(),
    terminal: Type.String(),
    timeout: Nullable(Type.Number()),
    concurrency: Nullable(Type.Integer()),
    lock: Nullable(Type.String()),
    node: Type.Boolean(),
    input: Nullable(
      Type.Object({
        name: Type.String(),
        label: Type.String(),
        type: Type.Enum(['list', 'str']),
        pick: Nullable(Type.String()),
        exts: Type.Array(Type.String()),
        description: Nullable(Type.String()),
      }),
    ),
    params: Type.Array(
      Type.Object({
        name: Type.String(),
        label: Type.String(),
        type: Type.String(),
        default: Type.Optional(Type.Unknown()),
        required: Type.Boolean(),
        choices: Type.Array(Type.String()),
        choice_labels: Type.Record(Type.String(), Type.String()),
        secret: Type.Boolean(),
        when: Nullable(Type.Object({ field: Type.String(), eq: Type.Unknown() })),
        description: Nullable(Type.String()),
      }),
    ),
    outputs: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Nullable(Type.String()),
        description: Nullable(Type.String()),
      }),
    ),
    require_models: Type.Boolean(),
    models: Type.Array(Model),
    dependencies: Type.Array(
      Type.Object({ id: Type.String(), name: Nullable(Type.String()), version: Nullable(Type.String()) }),
      { description: 'The scripts that this script calls.' },
    ),
  },
  { additionalProperties: false, description: 'The script, as its manifest describes it.' },
);

export const ScriptAnswer = Type.Object(
  { ...Script.properties, models: Type.Array(Type.Object({ ...Model.properties, state: ModelState })) },
  { additionalProperties: false, description: 'The script, as its manifest describes it.' },
);

export const ScriptsAnswer = Type.Object(
  { scripts: Type.Array(Script), problems: Type.Array(Problem) },
  { additionalProperties: false, description: 'All scripts and all problems.' },
);

export const IconAnswer = {
  description: 'The image: png, jpeg, gif, webp, svg or ico.',
  content: { 'image/*': { schema: Type.String({ format: 'binary' }) } },
};
