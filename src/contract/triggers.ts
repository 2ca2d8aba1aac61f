import Type from 'typebox';

import {
  Closed,
  cursor,
  Flag,
  Named,
  Nullable,
  NullableText,
  OptionalText,
  Success,
  Text,
} from './common.ts';
import { firingReasons } from './firings.ts';
import {
  afterPolicies,
  firingOutcomes,
  missedPolicies,
  overlapPolicies,
  signatureSchemes,
  triggerKinds,
  triggerStates,
} from './values.ts';

const Duration = (description: string) =>
  Type.Optional(Type.String({ examples: ['10s', '15m', '2h'], maxLength: 20, description }));

/** The fields of every kind, as in triggers.toml. */
const common = {
  script: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Id or slug of the script.' }),
  ),
  kind: Type.Optional(Type.Enum(triggerKinds, { description: 'The kind of the trigger.' })),
  from: Type.Optional(
    Type.String({
      pattern: '^package:.{1,200}$',
      description: '`package:NAME`: takes its values from the suggestion with this name in the manifest.',
    }),
  ),
  enabled: Type.Optional(Flag('Whether it starts runs. Default: true.')),
  data: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())], {
      description: 'Values of the main input for each run.',
    }),
  ),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Params for each run.' })),
  retries: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Retries of its runs, as in the manifest. Absent: those of the script.',
    }),
  ),
};

const scheduleFields = {
  cron: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      examples: ['30 2 * * *'],
      description: 'Cron expression of five fields (or six, with seconds first), or a word such as @daily.',
    }),
  ),
  every: Duration('Interval instead of `cron`.'),
  timezone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      examples: ['Europe/Berlin'],
      description: 'Time zone of `cron`. Absent: that of the machine.',
    }),
  ),
  missed: Type.Optional(
    Type.Enum(missedPolicies, {
      description:
        'Slots that passed while Hob was not running: skip them, make up for the last one (once, the default), or for all.',
    }),
  ),
  missed_within: Duration('Older slots are never made up for. Default: 24h.'),
  overlap: Type.Optional(
    Type.Enum(overlapPolicies, {
      description:
        'While the previous run has not ended: skip the slot (default), queue it, or allow both runs.',
    }),
  ),
  jitter: Duration(
    'Each schedule is late by a fixed part of this, so that many of them do not start at once.',
  ),
};

const folderFields = {
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'The folder: an absolute path, or one that begins with `~/`.',
    }),
  ),
  recursive: Type.Optional(Flag('Whether files in its subfolders count. Default: false.')),
  filters: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 100,
      examples: [['.mp4']],
      description: 'File extensions. Absent: those of the main input; if it has none, all files.',
    }),
  ),
  settle: Duration('How long a file must stay unchanged before it counts as complete. Default: 2s.'),
  batch: Duration('Files that are complete within this time share a run. Absent: one run for each file.'),
  after: Type.Optional(
    Type.Enum(afterPolicies, {
      description: 'Afterwards, leave the file (default), or move it to `done` or `failed` beside it.',
    }),
  ),
};

const webhookFields = {
  signature: Type.Optional(
    Type.Enum(signatureSchemes, { description: 'How the sender proves who it is. Default: token.' }),
  ),
  into: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The param that receives `{headers, query, body, body_base64}`. Default: event.',
    }),
  ),
  secret: Type.Optional(
    Type.String({ pattern: '^[a-z0-9-]{1,64}$', description: 'Name of the stored secret.' }),
  ),
};

/** The fields that an entry of each kind may have, besides the common ones. */
export const fieldsOfKind = {
  schedule: scheduleFields,
  folder: folderFields,
  webhook: webhookFields,
} as const;

/** The fields of an entry of triggers.toml, without its id. */
export const TriggerFields = Named(
  'TriggerFields',
  Type.Object({ ...common, ...scheduleFields, ...folderFields, ...webhookFields }),
);

export const commonFields = common;

export const TriggerHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.Literal('*', { description: 'Only creates the trigger: refused with 409 if the id is taken.' }),
  ),
});

/** A change of some fields; null removes a field. */
export const TriggerChange = Named(
  'TriggerChange',
  Type.Object(
    Object.fromEntries(
      Object.keys(TriggerFields.properties).map((name) => [
        name,
        Type.Optional(Type.Unknown({ description: `New value of \`${name}\`; null removes it.` })),
      ]),
    ),
  ),
);

const TriggerProblem = Named(
  'TriggerProblem',
  Closed(
    {
      field: NullableText,
      message: Type.String(),
      advice: Type.String(),
    },
    'Why a trigger cannot start runs, and the next step.',
  ),
);

export const FiringAnswer = Named(
  'Firing',
  Closed(
    {
      due_at: Text('The slot of a schedule, or the time of the arrival.'),
      recorded_at: Type.String(),
      outcome: Type.Enum(firingOutcomes),
      reason: Nullable(Type.Enum(Object.keys(firingReasons))),
      message: Nullable(Text('The reason in words.')),
      detail: NullableText,
      run_id: NullableText,
    },
    'A slot, an arrival or a delivery, and what became of it.',
  ),
);

export const TriggerAnswer = Named(
  'Trigger',
  Closed(
    {
      id: Type.String(),
      kind: Nullable(Type.Enum(triggerKinds)),
      state: Type.Enum(triggerStates),
      script: NullableText,
      script_id: NullableText,
      script_name: NullableText,
      from: NullableText,
      words: Text('When it starts a run.'),
      next: Type.Array(Type.String(), { description: 'The next five times of a schedule that is on.' }),
      address: Nullable(Text('The address for the sender of a webhook.')),
      problems: Type.Array(TriggerProblem),
      last: Nullable(FiringAnswer),
      line: Nullable(Type.Integer({ description: 'Line of the entry in triggers.toml.' })),
      fields: Type.Record(Type.String(), Type.Unknown(), { description: 'The fields as written.' }),
      values: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The fields in force, including those of the suggestion.',
      }),
    },
    'A rule that starts runs of a script.',
  ),
);

const SuggestionAnswer = Named(
  'TriggerSuggestion',
  Closed(
    {
      script_id: Type.String(),
      script_name: Type.String(),
      slug: Type.String(),
      kind: Type.Enum(triggerKinds),
      name: Type.String(),
      words: Type.String(),
      values: Type.Record(Type.String(), Type.Unknown()),
      trigger_id: Nullable(Text('The trigger that was made from it.')),
    },
    'A trigger that a manifest suggests.',
  ),
);

export const TriggersAnswer = Named(
  'TriggerList',
  Closed(
    {
      items: Type.Array(TriggerAnswer),
      suggestions: Type.Array(SuggestionAnswer),
      /** The file as a whole: it cannot be read, or is not valid TOML. */
      problems: Type.Array(
        Closed({
          file: Type.String(),
          line: Nullable(Type.Integer()),
          message: Type.String(),
          advice: Type.String(),
        }),
      ),
      file: Text('Path of triggers.toml.'),
      next: Type.Null(),
    },
    'All triggers, and those that manifests suggest.',
  ),
);

export const TriggerChecked = Named(
  'TriggerChecked',
  Closed(
    {
      problems: Type.Array(TriggerProblem),
      words: Type.String(),
      next: Type.Array(Type.String()),
    },
    'The effect of a trigger with these fields.',
  ),
);

export const TriggerCheckBody = Named(
  'TriggerCheck',
  Type.Object({ ...TriggerFields.properties, id: OptionalText('Its id.') }),
);

export const FireBody = Named('FireRequest', Type.Object({ data: common.data, params: common.params }));

export const FiredAnswer = Named(
  'Fired',
  Success({ run_id: Type.String(), message: Type.String() }, 'The run was accepted.'),
);

export const TriggerRemoved = Named(
  'TriggerRemoved',
  Success({ message: Type.String() }, 'The trigger was removed.'),
);

export const SlotsQuery = Type.Object({
  cursor,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'Maximum number of items.' }),
  ),
});

export const SlotsAnswer = Named(
  'FiringPage',
  Closed(
    { items: Type.Array(FiringAnswer), next: NullableText },
    'The slots, arrivals or deliveries of a trigger, the newest first.',
  ),
);
