import Type, { type Static, type TSchema } from 'typebox';

import { RetriesSchema } from '../contract/retries.ts';
import { menuTargets } from '../contract/values.ts';
import { languages } from './languages.ts';
import { notifyOccasions, paramTypes, survivorPolicies, terminals } from './script.ts';

const Words = (words: readonly string[], description: string) =>
  // Suggestions for editors only: older manifests use other words, which are mapped or noted, but never refused.
  Type.String({ examples: [...words], description });

const optionalText = (description: string) => Type.Optional(Type.String({ description }));
const optionalFlag = (description: string) => Type.Optional(Type.Boolean({ description }));
const optionalTexts = (description: string, examples?: string[][]) =>
  Type.Optional(Type.Array(Type.String(), { ...(examples && { examples }), description }));

const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

export const InfoSchema = Type.Object({
  id: Type.String({ pattern: uuidPattern, description: 'UUID of the script. Callers pass it as script_id.' }),
  name: Type.String({ minLength: 1, maxLength: 200, description: 'Display name.' }),
  slug: Type.Optional(
    Type.String({
      examples: ['resize-images'],
      description:
        'Short name for commands and addresses: a-z, 0-9 and hyphens, at most 64 characters. Absent: made from the name.',
    }),
  ),
  version: optionalText('Version of the script, such as "1.0.0".'),
  desc: optionalText('One sentence that says what the script does.'),
  icon: optionalText('Image file inside the folder.'),
  tags: Type.Optional(
    Type.Union([Type.Array(Type.String()), Type.String()], {
      examples: [['media', 'daily']],
      description: 'Words that group scripts. A text with commas also works.',
    }),
  ),
});

export const RuntimeSchema = Type.Object({
  language: Type.Optional(
    Words(languages, 'Language of the entry. Absent: derived from the extension of the entry.'),
  ),
  language_version: optionalText('Required interpreter version, such as ">=3.8", ">=18 <23" or "3.12".'),
  entry: Type.String({ minLength: 1, description: 'File to run: a relative path inside the folder.' }),
  terminal: Type.Optional(
    Words(terminals, 'When an asynchronous run gets a window: always (default), never, auto or inverse.'),
  ),
  timeout: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 31_536_000,
      description: 'Time limit in seconds. Absent or 0: no limit.',
    }),
  ),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Maximum number of concurrent runs of this script. Absent: no limit.',
    }),
  ),
  lock: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Name of a lock. Scripts with the same lock never run at the same time.',
    }),
  ),
  retries: Type.Optional(RetriesSchema),
  survivors: Type.Optional(
    Type.Enum(survivorPolicies, {
      description:
        'What happens to processes that the script leaves running when it exits: keep (default) or stop.',
    }),
  ),
  notify_on: Type.Optional(
    Type.Enum(notifyOccasions, {
      description:
        'When Hob shows a notification at the end of an asynchronous run: failure, always or never (default).',
    }),
  ),
  env: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Environment variables for the script.' }),
  ),
  binaries: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ minLength: 1 }) }), {
      description: 'Programs that must be on PATH.',
    }),
  ),
  require_models: optionalFlag('Refuse to start the script until all models it declares are downloaded.'),
  preload: optionalTexts(
    'Python only: modules that a warm interpreter loads ahead of time, such as ["numpy"].',
    [['numpy']],
  ),
  warm: optionalFlag('Whether a run may use a warm interpreter: true (default) or false.'),
});

export const InputSchema = Type.Object({
  name: Type.String({ minLength: 1, description: 'Key of the input in `data`.' }),
  label: Type.Optional(Type.String()),
  type: Type.Optional(Words(['list', 'str'], 'list: several values; str: one value.')),
  pick: Type.Optional(Words(['files', 'folders', 'both'], 'What the file picker offers.')),
  exts: optionalTexts('File extensions, such as [".png", ".jpg"].'),
  description: Type.Optional(Type.String()),
});

export const ParamSchema = Type.Object({
  name: Type.String({ minLength: 1 }),
  label: Type.Optional(Type.String()),
  type: Type.Optional(Words(paramTypes, 'Type of the value. Absent: derived from the default.')),
  default: Type.Optional(Type.Unknown({ description: 'Value used if the caller sends none.' })),
  required: optionalFlag('Refuse a run if the param has neither a value nor a default.'),
  choices: optionalTexts('Allowed values, for str only.'),
  choice_labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  secret: optionalFlag('Kept out of history, logs and responses. Only the parameter file contains it.'),
  when: Type.Optional(
    Type.Object(
      { field: Type.String(), eq: Type.Unknown() },
      { description: 'Show this param only if another param has this value.' },
    ),
  ),
  description: Type.Optional(Type.String()),
});

export const OutputSchema = Type.Object({
  name: Type.String({ minLength: 1 }),
  type: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
});

export const NodeSchema = Type.Object({
  enabled: optionalFlag('Whether running scripts may link this script.'),
});

export const ModelSchema = Type.Object({
  source: Type.Enum(['huggingface', 'modelscope'], { description: 'Hub that provides the model.' }),
  repo_id: Type.String({ minLength: 3, description: 'owner/name' }),
  files: optionalTexts('Globs of the required files.'),
});

export const DependencySchema = Type.Object({
  id: Type.String({ pattern: uuidPattern, description: 'UUID of a script that this script calls.' }),
  name: optionalText('Display name, which helps people to find it.'),
  version: optionalText('Required version, such as ">=1.2". Absent: any.'),
});

const toolNamePattern = '^[a-zA-Z0-9_-]{1,48}$';

/** The script as a tool of agents. A wrong value is only noted: it never stops the script. */
export const McpSchema = Type.Object({
  enabled: optionalFlag('Whether agents may call the script as a tool. Absent: the settings decide.'),
  name: Type.Optional(
    Type.String({
      pattern: toolNamePattern,
      description: 'Name of the tool: at most 48 letters, digits, _ and -. Absent: made from the slug.',
    }),
  ),
  read_only: optionalFlag('Whether a run changes nothing. Absent: false.'),
  destructive: optionalFlag(
    'Whether a run may delete or overwrite something. Absent: true, or false with read_only.',
  ),
  idempotent: optionalFlag('Whether a second run with the same inputs changes nothing more. Absent: false.'),
  open_world: optionalFlag(
    'Whether a run deals with things outside the machine, such as web pages. Absent: true.',
  ),
});

const SuggestionSchema = Type.Object(
  { name: Type.String({ minLength: 1, description: 'Name for `from = "package:NAME"` in triggers.toml.' }) },
  { additionalProperties: Type.Unknown() },
);

/** Triggers that the script offers. Nothing happens before the user enables it, so a wrong value is only noted. */
const TriggersSchema = Type.Object({
  context_menu: Type.Optional(
    Type.Object({
      enabled: optionalFlag('Whether file managers offer the script after `hob menus install`.'),
      targets: Type.Optional(
        Type.Array(Words(menuTargets, 'files, directory or background (the empty space of a folder).'), {
          description: 'Where the entry appears. Absent: files.',
        }),
      ),
      filters: optionalTexts('File extensions. Absent: those of the main input.', [['.mp4']]),
    }),
  ),
  shortcut: Type.Optional(
    Type.Object({
      enabled: optionalFlag('Whether the script can be started with a key after `hob menus install`.'),
      input_type: Type.Optional(
        Words(['files', 'folders', ''], 'What the shortcut asks for before the run. Absent: nothing.'),
      ),
      filters: optionalTexts('File extensions. Absent: those of the main input.', [['.mp4']]),
    }),
  ),
  schedule: Type.Optional(
    Type.Array(SuggestionSchema, { description: 'Schedules that the user may enable.' }),
  ),
  folder: Type.Optional(
    Type.Array(SuggestionSchema, { description: 'Folders that the user may have watched.' }),
  ),
  webhook: Type.Optional(Type.Array(SuggestionSchema, { description: 'Webhooks that the user may enable.' })),
});

const RootTableSchema = Type.Object({
  info: InfoSchema,
  runtime: RuntimeSchema,
  inputs: Type.Optional(Type.Array(InputSchema, { maxItems: 1, description: 'The main input.' })),
  params: Type.Optional(
    Type.Union([Type.Array(ParamSchema), Type.Record(Type.String(), Type.Unknown())], {
      description: 'Run parameters: a list of tables, or the short form `name = default`.',
    }),
  ),
  outputs: Type.Optional(Type.Array(OutputSchema)),
  node: Type.Optional(NodeSchema),
  models: Type.Optional(Type.Array(ModelSchema)),
  dependencies: Type.Optional(
    Type.Array(DependencySchema, { description: 'Other scripts that this script calls.' }),
  ),
  triggers: Type.Optional(TriggersSchema),
  mcp: Type.Optional(McpSchema),
});

/**
 * Schema of the whole file, for editors. Its single root table may have any name.
 * @public schema/script.schema.json is generated from it
 */
export const ManifestSchema = Type.Object(
  {},
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Hob script manifest',
    description: 'The TOML file that describes a script folder.',
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: RootTableSchema,
  },
);

/** The known tables of the root table, with their schemas. */
export const knownSections: Readonly<Record<keyof Static<typeof RootTableSchema>, TSchema>> =
  RootTableSchema.properties;
