import Type from 'typebox';
import { Closed, Named, Nullable, NullableText } from './common.ts';
import { ModelState } from './models.ts';
import { menuTargets, retryCauses } from './values.ts';

export const Problem = Named(
  'Problem',
  Closed({
    severity: Type.Enum(['error', 'note']),
    file: Type.String(),
    line: Nullable(Type.Integer()),
    message: Type.String(),
    advice: Type.String(),
  }),
);

const Model = Type.Object({
  source: Type.String(),
  repo_id: Type.String(),
  files: Type.Array(Type.String()),
});

const Retries = Named(
  'ScriptRetries',
  Closed(
    {
      attempts: Type.Integer(),
      backoff_s: Type.Number({ description: 'Seconds before the second attempt.' }),
      factor: Type.Number(),
      on: Type.Array(Type.Enum(retryCauses)),
    },
    'When a failed run is tried again.',
  ),
);

const Script = Named(
  'Script',
  Closed(
    {
      id: Type.String({ format: 'uuid' }),
      slug: Type.String({
        description: 'Short name for commands and addresses. It can be used instead of the id.',
      }),
      name: Type.String(),
      version: NullableText,
      desc: NullableText,
      icon: NullableText,
      tags: Type.Array(Type.String()),
      folder: Type.String(),
      manifest: Type.String(),
      language: Type.String(),
      language_version: NullableText,
      entry: Type.String(),
      terminal: Type.String(),
      timeout: Nullable(Type.Number()),
      concurrency: Nullable(Type.Integer()),
      lock: NullableText,
      retries: Nullable(Retries),
      node: Type.Boolean(),
      input: Nullable(
        Named(
          'ScriptInput',
          Type.Object({
            name: Type.String(),
            label: Type.String(),
            type: Type.Enum(['list', 'str']),
            pick: NullableText,
            exts: Type.Array(Type.String()),
            description: NullableText,
          }),
        ),
      ),
      params: Type.Array(
        Named(
          'ScriptParam',
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
            description: NullableText,
          }),
        ),
      ),
      outputs: Type.Array(
        Named(
          'ScriptOutput',
          Type.Object({
            name: Type.String(),
            type: NullableText,
            description: NullableText,
          }),
        ),
      ),
      require_models: Type.Boolean(),
      models: Type.Array(Model),
      context_menu: Nullable(
        Named(
          'ScriptMenu',
          Closed(
            {
              targets: Type.Array(Type.Enum([...menuTargets])),
              filters: Type.Array(Type.String(), {
                description: 'Extensions in lower case with a dot. Empty: all files.',
              }),
            },
            'The entry for the menu of files that the script offers.',
          ),
        ),
      ),
      shortcut: Nullable(
        Named(
          'ScriptShortcut',
          Closed(
            {
              asks_for: Nullable(Type.Enum(['files', 'folders'])),
              filters: Type.Array(Type.String(), {
                description: 'Extensions in lower case with a dot. Empty: all files.',
              }),
            },
            'The shortcut that the script offers, and what it asks for before the run.',
          ),
        ),
      ),
      dependencies: Type.Array(
        Type.Object({ id: Type.String(), name: NullableText, version: NullableText }),
        {
          description: 'The scripts that this script calls.',
        },
      ),
    },
    'The script, as its manifest describes it.',
  ),
);

export const ScriptAnswer = Named(
  'ScriptDetail',
  Closed(
    { ...Script.properties, models: Type.Array(Type.Object({ ...Model.properties, state: ModelState })) },
    'The script, as its manifest describes it.',
  ),
);

export const ScriptsAnswer = Named(
  'ScriptList',
  Closed({ scripts: Type.Array(Script), problems: Type.Array(Problem) }, 'All scripts and all problems.'),
);

export const IconAnswer = {
  description: 'The image: png, jpeg, gif, webp, svg or ico.',
  content: { 'image/*': { schema: Type.String({ format: 'binary' }) } },
};

export const ManifestSchemaAnswer = Named(
  'ManifestSchema',
  Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema.' }),
);
