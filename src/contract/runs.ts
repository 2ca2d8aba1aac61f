import Type from 'typebox';
import { data, Envelope, Nullable, params } from './common.ts';
import { endCauses, envelopeSources, origins, runStates } from './values.ts';

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
  { additionalProperties: false, description: 'The record of the run.' },
);

export const RunQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 300,
      description: 'Seconds to wait for the end of the run. The response then contains the record as it is.',
    }),
  ),
});

export const CancelAnswer = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), run_id: Type.String({ format: 'uuid' }) },
  { additionalProperties: false, description: 'The run is being stopped.' },
);

export const RerunBody = Type.Object({ data, params });

export const RerunAnswer = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), run_id: Type.String({ format: 'uuid' }) },
  { additionalProperties: false, description: 'A new run was accepted; `run_id` is its id.' },
);

export const DeleteAnswer = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), run_id: Type.String({ format: 'uuid' }) },
  { additionalProperties: false, description: 'The run was deleted.' },
);

export const OutputQuery = Type.Object({
  follow: Type.Optional(
    Type.Enum(['', 'true', 'false', '1', '0'], {
      description: 'Whether the response continues until the run ends.',
    }),
  ),
});

export const OutputHeaders = Type.Object({
  range: Type.Optional(
    Type.String({
      description:
        'One range of bytes: `bytes=a-b`, `bytes=a-` or `bytes=-n`. Offsets refer to the whole output.',
    }),
  ),
});

export const NotesAnswer = {
  description: 'One line per note, with its time. Empty if there are no notes.',
  headers: { 'X-Hob-Run-Id': Type.String({ format: 'uuid' }) },
  content: { 'text/plain': { schema: Type.String() } },
};

const output = { content: { 'text/plain': { schema: Type.String({ format: 'binary' }) } } };

export const OutputAnswer = {
  description: 'The stored output. A line marks each place where output was not kept.',
  headers: {
    'X-Hob-Run-Id': Type.String({ format: 'uuid' }),
    'Accept-Ranges': Type.Literal('bytes'),
  },
  ...output,
};

export const OutputPartAnswer = {
  description: 'The requested range, up to the first gap.',
  headers: {
    ...OutputAnswer.headers,
    'Content-Range': Type.String({
      description:
        '`bytes a-b/total`. The total is `*` until the run ends. With `follow`, the end is 9007199254740991 unless the request names one.',
    }),
  },
  ...output,
};
