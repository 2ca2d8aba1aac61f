import Type from 'typebox';

import { endCauses, origins, runStates } from '../../runs/run-record.ts';
import { Nullable } from './common.ts';
import { RunAnswer } from './runs.ts';

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

export const OutcomesQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'So many runs of each script.' }),
  ),
  script: Type.Optional(
    Type.String({
      description: 'Ids of scripts, with commas between them. All that have runs on record when absent.',
    }),
  ),
});

export const OutcomesAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          script_id: Type.String({ format: 'uuid' }),
          script_name: Type.String({ description: 'As it was called in the latest of the runs.' }),
          runs: Type.Array(
            Type.Pick(RunAnswer, ['run_id', 'state', 'end_cause', 'queued_at', 'duration_ms']),
            {
              description: 'The newest first.',
            },
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'The latest runs of each script, the one that ran last first.',
  },
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
    time_zone: Type.String({ description: 'Where the days are counted: that of the machine.' }),
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
      Type.Object(
        {
          day: Type.String({ format: 'date' }),
          begins_at: Type.String({ format: 'date-time', description: 'Its first moment.' }),
          ...tally,
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false, description: 'Counts of runs that have ended.' },
);
