import Type from 'typebox';

import { endCauses, origins, runStates } from '../../runs/run-record.ts';
import { data, Envelope, Nullable, params } from './common.ts';

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

export const RunQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 300,
      description: 'Seconds to wait for the end of the run before the record is given as it is.',
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
  { additionalProperties: false, description: 'The run is gone.' },
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

export const NotesAnswer = {
  description: 'One line for each, with its time; empty when there is nothing to say.',
  headers: { 'X-Hob-Run-Id': Type.String({ format: 'uuid' }) },
  content: { 'text/plain': { schema: Type.String() } },
};

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
