import Type from 'typebox';
import { notificationTypes } from '../notifications/notifications.ts';
import { containments, endCauses, origins, runStates } from '../runs/run-record.ts';

/**
 * The shapes on the wire, once: requests are checked against these very schemas, and the OpenAPI document is made from them.
 */
const Nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const Envelope = Type.Object(
  {
    code: Type.Integer({ description: '0 is success; -1, -2 and -3 are written by Hob itself.' }),
    msg: Type.String(),
  },
  { additionalProperties: true, description: 'What the script wrote to environment.output_json.' },
);

const scriptId = Type.Optional(Type.String({ description: 'UUID of the script.' }));
const data = Type.Optional(
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())], {
    description: "Values of the main input: an object keyed by the input's name, or a bare list.",
  }),
);
const params = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), { description: "Overrides of the manifest's params." }),
);

export const LinkBody = Type.Object({ script_id: scriptId, data, params });

export const ExecuteBody = Type.Object({
  script_id: scriptId,
  sync: Type.Optional(
    Type.Boolean({ description: 'true: wait for the script and return what became of it.' }),
  ),
  data,
  params,
  temp_file: Type.Optional(
    Type.String({ description: 'Absolute path of a file with the arguments (legacy).' }),
  ),
});

export const ExecuteHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'The same key with the same body gives the same run, however often it is sent; with another body it is refused.',
    }),
  ),
});

export const ExecuteForm = Type.Object({
  script_id: scriptId,
  sync: Type.Optional(Type.String({ description: 'true, false, 1, 0, yes, no, on or off.' })),
  data: Type.Optional(Type.String({ description: 'JSON text.' })),
  params: Type.Optional(Type.String({ description: 'JSON text.' })),
  temp_file: Type.Optional(Type.String()),
});

export const ExecutionAnswer = Type.Object(
  {
    status: Type.Enum(['success', 'error']),
    message: Type.String(),
    exit_code: Type.Integer(),
    success: Type.Boolean(),
    timed_out: Type.Boolean(),
    stdout: Type.String(),
    stderr: Type.String(),
    result: Envelope,
  },
  { additionalProperties: false, description: 'What became of the run.' },
);

export const AcceptedAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    message: Type.String(),
    run_id: Type.String({ format: 'uuid' }),
  },
  { additionalProperties: false, description: 'The run is on record and will be carried out.' },
);

export const ExecutionError = Type.Object(
  { status: Type.Literal('error'), message: Type.String() },
  { additionalProperties: false, description: 'Refused: the script was not run.' },
);

export const NotifyBody = Type.Object({
  notify_type: Type.Enum(notificationTypes),
  message: Type.Optional(Nullable(Type.String())),
  duration: Type.Optional(Type.Integer({ minimum: 0, default: 5000, description: 'Milliseconds.' })),
  show_close: Type.Optional(Type.Boolean({ default: false })),
});

export const NotifyAnswer = Type.Object(
  { success: Type.Literal(true) },
  { additionalProperties: false, description: 'The notification was taken.' },
);
export const NotifyError = Type.Object(
  { error: Type.String() },
  { additionalProperties: false, description: 'Refused.' },
);

export const ModelPathQuery = Type.Object({ repo_id: Type.String({ description: 'owner/name' }) });

export const ModelPathAnswer = Type.Object(
  {
    code: Type.Literal(200),
    data: Type.Object({ path: Type.String(), repo_id: Type.String() }, { additionalProperties: false }),
    message: Type.String(),
    success: Type.Literal(true),
  },
  { additionalProperties: false, description: 'The folder of the model.' },
);

export const ModelPathError = Type.Object(
  {
    code: Type.Integer(),
    data: Type.Object({}, { additionalProperties: false }),
    message: Type.String(),
    success: Type.Literal(false),
  },
  { additionalProperties: false, description: 'Refused, or not downloaded.' },
);

export const LaterError = Type.Object(
  { status: Type.Literal('error'), code: Type.String(), message: Type.String(), hint: Type.String() },
  { additionalProperties: false, description: 'Refused.' },
);

export const HealthAnswer = Type.Object(
  {
    status: Type.Literal('ok'),
    version: Type.String(),
    interface: Type.String(),
    uptime_s: Type.Number(),
    running: Type.Integer(),
    queued: Type.Integer(),
    containment: Nullable(
      Type.Enum(containments, {
        description:
          'How the processes of a run are kept together when it is stopped: by a cgroup and all that follows; by their process group, session, environment and descent; by group and descent; by taskkill. Null until there is an executor.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Hob is well.' },
);

const time = (description: string) => Nullable(Type.String({ format: 'date-time', description }));

export const RunAnswer = Type.Object(
  {
    run_id: Type.String({ format: 'uuid' }),
    script_id: Type.String({ format: 'uuid' }),
    script_name: Type.String(),
    script_version: Nullable(Type.String()),
    origin: Type.Enum(origins),
    parent_run_id: Nullable(Type.String({ format: 'uuid' })),
    depth: Type.Integer(),
    state: Type.Enum(runStates),
    end_cause: Nullable(Type.Enum(endCauses)),
    exit_code: Nullable(Type.Integer()),
    result: Nullable(Envelope),
    envelope: Nullable(Type.Enum(['own', 'synthesized'])),
    data: Type.Unknown(),
    params: Type.Record(Type.String(), Type.Unknown()),
    queued_at: Type.String({ format: 'date-time' }),
    started_at: time('Null until the script starts.'),
    ended_at: time('Null until the run ends.'),
    duration_ms: Nullable(Type.Integer()),
    stdout_bytes: Nullable(Type.Integer()),
    stderr_bytes: Nullable(Type.Integer()),
    truncated: Nullable(Type.Boolean()),
    left_running: Nullable(Type.Integer()),
  },
  { additionalProperties: false, description: 'The record of the run.' },
);

const commaList = (values: readonly string[]) =>
  Type.Optional(
    Type.String({ description: `One or more of ${values.join(', ')}, with commas between them.` }),
  );

export const RunsQuery = Type.Object({
  script: Type.Optional(Type.String({ format: 'uuid', description: 'Runs of this script.' })),
  parent: Type.Optional(Type.String({ format: 'uuid', description: 'Runs that this run started.' })),
  state: commaList(runStates),
  end_cause: commaList(endCauses),
  origin: commaList(origins),
  since: Type.Optional(Type.String({ description: 'Queued at this time or later.' })),
  until: Type.Optional(Type.String({ description: 'Queued before this time.' })),
  q: Type.Optional(
    Type.String({
      description: "A text that is in the script's name or in the message, in upper or lower case.",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  cursor: Type.Optional(Type.String({ description: '`next` of the page before.' })),
});

const BriefRunAnswer = Type.Object(
  { ...RunAnswer.properties, params: Nullable(RunAnswer.properties.params) },
  {
    additionalProperties: false,
    description:
      'The record of a run. Where `data` or `params` has more than 4 KiB it is null; a `result` that has more is its code and the first 1,000 characters of its msg.',
  },
);

export const RunsAnswer = Type.Object(
  { items: Type.Array(BriefRunAnswer), next: Nullable(Type.String()) },
  { additionalProperties: false, description: 'A page of runs; `next` is null on the last one.' },
);

const TreeNode = Type.Pick(RunAnswer, [
  'run_id',
  'script_id',
  'script_name',
  'origin',
  'parent_run_id',
  'depth',
  'state',
  'end_cause',
  'exit_code',
  'queued_at',
  'started_at',
  'ended_at',
  'duration_ms',
]);

export const TreeAnswer = Type.Object(
  {
    run_id: Type.String({ format: 'uuid', description: 'The run that was asked for.' }),
    runs: Type.Integer({ description: 'How many runs are in the tree.' }),
    complete: Type.Boolean({ description: 'false: there are more, and some are left out.' }),
    root: Type.Object(
      {
        ...TreeNode.properties,
        children: Type.Array(Type.Unknown({ description: 'Each of them like this one.' })),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'The tree.' },
);

export const StatsQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 400, default: 30, description: 'So many days, today included.' }),
  ),
  script: Type.Optional(Type.String({ format: 'uuid', description: 'Runs of this script only.' })),
});

const tally = {
  runs: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  unknown: Type.Integer(),
  end_causes: Type.Record(Type.String(), Type.Integer(), { description: 'How many ended by which cause.' }),
  duration_ms: Nullable(
    Type.Object(
      { mean: Type.Integer(), median: Type.Integer(), p95: Type.Integer() },
      {
        additionalProperties: false,
        description:
          'The mean is exact, median and p95 are at most a fifth off. Null when none of them started.',
      },
    ),
  ),
};

export const StatsAnswer = Type.Object(
  {
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    history: Type.Object(
      { runs: Type.Integer(), bytes: Type.Integer() },
      {
        additionalProperties: false,
        description: 'How many runs are on record, and what they take on the disk.',
      },
    ),
    running: Type.Integer(),
    queued: Type.Integer(),
    all: Type.Object(tally, { additionalProperties: false }),
    scripts: Type.Array(
      Type.Object(
        { script_id: Type.String({ format: 'uuid' }), script_name: Type.String(), ...tally },
        { additionalProperties: false },
      ),
    ),
    days: Type.Array(
      Type.Object({ day: Type.String({ format: 'date' }), ...tally }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false, description: 'Counts of runs that have ended.' },
);
export const RunQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 300,
      description: 'Seconds to wait for the end of the run before the record is given as it is.',
    }),
  ),
});

export const RerunBody = Type.Object({ data, params });

const Problem = Type.Object(
  {
    severity: Type.Enum(['error', 'note']),
    file: Type.String(),
    line: Nullable(Type.Integer()),
    message: Type.String(),
    advice: Type.String(),
  },
  { additionalProperties: false },
);

export const ScriptAnswer = Type.Object(
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
    models: Type.Array(
      Type.Object({ source: Type.String(), repo_id: Type.String(), files: Type.Array(Type.String()) }),
    ),
  },
  { additionalProperties: false, description: 'The script, as its manifest describes it.' },
);

export const ScriptsAnswer = Type.Object(
  { scripts: Type.Array(ScriptAnswer), problems: Type.Array(Problem) },
  { additionalProperties: false, description: 'All scripts and all problems.' },
);

export const OutputQuery = Type.Object({
  follow: Type.Optional(
    Type.Enum(['', 'true', 'false', '1', '0'], {
      description: 'Whether the answer goes on as the script writes, until the run has ended.',
    }),
  ),
});

export const OutputHeaders = Type.Object({
  range: Type.Optional(
    Type.String({
      description:
        'One range of bytes: `bytes=a-b`, `bytes=a-` or `bytes=-n`. Offsets are those of the whole output.',
    }),
  ),
});

const output = { content: { 'text/plain': { schema: Type.String({ format: 'binary' }) } } };

export const OutputAnswer = {
  description: 'What was kept of the output, with a line in the place of what was not.',
  headers: {
    'X-Hob-Run-Id': Type.String({ format: 'uuid' }),
    'Accept-Ranges': Type.Literal('bytes'),
  },
  ...output,
};

export const OutputPartAnswer = {
  description: 'The range that was asked for, as far as it was kept without a gap.',
  headers: {
    ...OutputAnswer.headers,
    'Content-Range': Type.String({
      description:
        '`bytes a-b/total`. The total is `*` while the run lasts; with `follow` the end is 9007199254740991 unless one was named.',
    }),
  },
  ...output,
};

export const CancelAnswer = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), run_id: Type.String({ format: 'uuid' }) },
  { additionalProperties: false, description: 'The run is being stopped.' },
);

export const RerunAnswer = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), run_id: Type.String({ format: 'uuid' }) },
  { additionalProperties: false, description: 'A new run was accepted; `run_id` is its id.' },
);

export const DeleteAnswer = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), run_id: Type.String({ format: 'uuid' }) },
  { additionalProperties: false, description: 'The run is gone.' },
);

export const StopBody = Type.Object({
  all: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true: every run is stopped, too, and those that wait are not started.',
    }),
  ),
});

export const StopAnswer = Type.Object(
  { status: Type.Literal('success'), message: Type.String() },
  { additionalProperties: false, description: 'Hob is stopping.' },
);

export const MetricsText = Type.String({ description: 'Version 0.0.4 of the format.' });
export const EventsQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      description: 'The last event known; what the header Last-Event-ID says, for others than browsers.',
    }),
  ),
  types: Type.Optional(Type.String({ description: 'Only these, with commas between them.' })),
});

export const RunEventsQuery = Type.Object({ since: EventsQuery.properties.since });

export const NothingMore = Type.Null({ description: 'The client knows the end already.' });

export const EventsAnswer = Type.String({
  description: 'text/event-stream: each event has an id, a type and one line of JSON.',
});

export const ProgressBody = Type.Object({
  fraction: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  message: Type.Optional(Nullable(Type.String({ description: 'Cut after 1,000 characters.' }))),
});

export const ProgressAnswer = Type.Object(
  { status: Type.Literal('success') },
  { additionalProperties: false, description: 'It was taken.' },
);
