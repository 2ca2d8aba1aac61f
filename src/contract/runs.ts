import Type from 'typebox';
import { Closed, Flag, Named, Nullable, NullableText, OptionalText, Success, Text, Uuid } from './common.ts';
import { RetriesSchema } from './retries.ts';
import { endCauses, envelopeSources, origins, runStates } from './values.ts';

const Envelope = Named(
  'Envelope',
  Type.Object(
    {
      code: Type.Integer({ description: '0 means success; -1, -2 and -3 are set by Hob.' }),
      msg: Type.String(),
    },
    {
      additionalProperties: true,
      description:
        'The JSON object that the script wrote to `environment.output_json`, or that Hob synthesized.',
    },
  ),
);

const scriptId = Text('UUID of the script.');

/** The inputs of a run. */
const inputs = {
  data: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())], {
      description: "Values of the main input: an object keyed by the input's name, or a plain array.",
    }),
  ),
  params: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Values that override the params of the manifest.',
    }),
  ),
};

export const LinkBody = Named('LinkRequest', Type.Object({ script_id: scriptId, ...inputs }));

export const ExecuteBody = Named(
  'ExecuteRequest',
  Type.Object({
    script_id: scriptId,
    sync: Type.Optional(Flag('true: wait for the end of the run and return its outcome.')),
    ...inputs,
    temp_file: OptionalText('Absolute path of a file with the arguments (legacy).'),
  }),
);

/** The maximum of `wait_s`. */
export const longestWaitS = 3600;

export const ScriptRunBody = Named(
  'RunRequest',
  Type.Object({
    ...inputs,
    wait_s: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: longestWaitS,
        default: 0,
        description: 'Seconds to wait for the end of the run and of its further attempts.',
      }),
    ),
    retries: Type.Optional(RetriesSchema),
  }),
);

/** Other values of the header are ignored. */
export const OriginHeaders = Type.Object({
  'x-hob-origin': OptionalText(
    '`console`, `cli`, `menu` or `shortcut`: stored as the `origin` of the run instead of `execute`. A run from the console or the command opens no window; a run from the console gets a terminal in its page instead.',
  ),
});

export const ExecuteHeaders = Type.Object({
  ...OriginHeaders.properties,
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Repeating a request with the same key and body returns the same run. The same key with a different body is refused.',
    }),
  ),
});

export const ExecuteForm = Named(
  'ExecuteForm',
  Type.Object({
    script_id: scriptId,
    sync: OptionalText('true, false, 1, 0, yes, no, on or off.'),
    data: OptionalText('JSON text.'),
    params: OptionalText('JSON text.'),
    temp_file: Type.Optional(Type.String()),
  }),
);

export const ExecutionAnswer = Named(
  'ExecutionResult',
  Closed(
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
    'The outcome of the run.',
  ),
);

const runId = { message: Type.String(), run_id: Uuid };

export const AcceptedAnswer = Named('Accepted', Success(runId, 'The run is stored and will be executed.'));

export const ExecutionError = Named(
  'ExecutionError',
  Closed({ status: Type.Literal('error'), message: Type.String() }, 'The error. The script was not run.'),
);

const runHeaders = { 'X-Hob-Run-Id': Type.String({ format: 'uuid', description: 'Id of the run.' }) };

const startHeaders = {
  ...runHeaders,
  'Idempotency-Replayed': OptionalText('`true` if an earlier request with the same key started the run.'),
};

/** With `sync` the outcome, which has an `exit_code`; otherwise the confirmation, which has a `run_id`. */
export const ExecuteAnswer = {
  description:
    'With `sync` true, the outcome of the run. Otherwise the confirmation that the run was accepted.',
  headers: startHeaders,
  content: { 'application/json': { schema: Type.Union([ExecutionAnswer, AcceptedAnswer]) } },
};

export const LinkAnswer = {
  description: 'The outcome of the run.',
  headers: runHeaders,
  content: { 'application/json': { schema: ExecutionAnswer } },
};

const time = (description: string) => Nullable(Type.String({ format: 'date-time', description }));

export const RunAnswer = Named(
  'Run',
  Closed(
    {
      run_id: Uuid,
      script_id: Uuid,
      script_name: Type.String(),
      script_version: NullableText,
      origin: Type.Enum(origins),
      trigger_id: Nullable(Text('The trigger that started the run.')),
      client: Nullable(Text('The program of the agent that started the run.')),
      parent_run_id: Nullable(Uuid),
      depth: Type.Integer(),
      attempt: Type.Integer({ minimum: 1, description: 'The number of this attempt in its series.' }),
      first_run_id: Nullable(
        Type.String({ format: 'uuid', description: 'The first attempt. Null in that attempt itself.' }),
      ),
      next_attempt_at: time(
        'When the next attempt is due. Null from the moment when it is queued, and if there is none.',
      ),
      state: Type.Enum(runStates),
      end_cause: Nullable(Type.Enum(endCauses)),
      exit_code: Nullable(Type.Integer()),
      result: Nullable(Envelope),
      envelope: Nullable(Type.Enum(envelopeSources)),
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
    'The record of the run.',
  ),
);

export const StartedRunAnswer = {
  description: 'The record of the run.',
  headers: { ...startHeaders, Location: Text('Path of the run: `/api/runs/<run_id>`.') },
  content: { 'application/json': { schema: RunAnswer } },
};

export const RunQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 300,
      description: 'Seconds to wait for the end of the run. The response then contains the record as it is.',
    }),
  ),
});

export const CancelAnswer = Named(
  'RunCancelled',
  Success(runId, 'The run is being stopped, or no further attempt is made.'),
);

export const RerunBody = Named('RerunRequest', Type.Object(inputs));

export const RerunAnswer = Named(
  'RerunAccepted',
  Success(runId, 'A new run was accepted; `run_id` is its id.'),
);

export const DeleteAnswer = Named('RunDeleted', Success(runId, 'The run was deleted.'));

export const ProgressBody = Named(
  'ProgressReport',
  Type.Object({
    fraction: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    message: Type.Optional(Nullable(Text('Truncated to 1,000 characters.'))),
  }),
);

export const ProgressAnswer = Named('ProgressAccepted', Success({}, 'The progress was accepted.'));

export const OutputQuery = Type.Object({
  follow: Type.Optional(
    Type.Enum(['', 'true', 'false', '1', '0'], {
      description: 'Whether the response continues until the run ends.',
    }),
  ),
});

export const OutputHeaders = Type.Object({
  range: OptionalText(
    'One range of bytes: `bytes=a-b`, `bytes=a-` or `bytes=-n`. Offsets refer to the whole output.',
  ),
});

export const NotesAnswer = {
  description: 'One line per note, with its time. Empty if there are no notes.',
  headers: runHeaders,
  content: { 'text/plain': { schema: Type.String() } },
};

const output = { content: { 'text/plain': { schema: Type.String({ format: 'binary' }) } } };

export const OutputAnswer = {
  description: 'The stored output. A line marks each place where output was not kept.',
  headers: { ...runHeaders, 'Accept-Ranges': Type.Literal('bytes') },
  ...output,
};

export const OutputPartAnswer = {
  description: 'The requested range, up to the first gap.',
  headers: {
    ...OutputAnswer.headers,
    'Content-Range': Text(
      '`bytes a-b/total`. The total is `*` until the run ends. With `follow`, the end is 9007199254740991 unless the request names one.',
    ),
  },
  ...output,
};
