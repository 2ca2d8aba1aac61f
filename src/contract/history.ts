import Type from 'typebox';
import { Nullable } from './common.ts';
import { RunAnswer } from './runs.ts';
import { endCauses, origins, runStates } from './values.ts';

const commaList = (values: readonly string[]) =>
  Type.Optional(Type.String({ description: `One or more of ${values.join(', ')}, separated by commas.` }));

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
      description: 'Text to find in the script name or in the message. Case is ignored.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  cursor: Type.Optional(Type.String({ description: '`next` of the previous page.' })),
});

const BriefRunAnswer = Type.Object(
  { ...RunAnswer.properties, params: Nullable(RunAnswer.properties.params) },
  {
    additionalProperties: false,
    description:
      'The record of a run. `data` or `params` larger than 4 KiB is null. A `result` larger than 4 KiB is reduced to its code and the first 1,000 characters of its msg.',
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
    run_id: Type.String({ format: 'uuid', description: 'The requested run.' }),
    runs: Type.Integer({ description: 'Number of runs in the tree.' }),
    complete: Type.Boolean({ description: 'false: the tree is too large and some runs are omitted.' }),
    root: Type.Object(
      {
        ...TreeNode.properties,
        children: Type.Array(Type.Unknown({ description: 'A node of the same shape.' })),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'The tree of runs.' },
);

export const OutcomesQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Number of runs for each script.' }),
  ),
  script: Type.Optional(
    Type.String({
      description: 'Script ids, separated by commas. Absent: all scripts that have stored runs.',
    }),
  ),
});

export const OutcomesAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          script_id: Type.String({ format: 'uuid' }),
          script_name: Type.String({ description: 'The name in the latest run.' }),
          runs: Type.Array(
            Type.Pick(RunAnswer, ['run_id', 'state', 'end_cause', 'queued_at', 'duration_ms']),
            {
              description: 'Newest first.',
            },
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'The latest runs of each script; the script that ran last comes first.',
  },
);

export const StatsQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 400, default: 30, description: 'Number of days, including today.' }),
  ),
  script: Type.Optional(Type.String({ format: 'uuid', description: 'Runs of this script only.' })),
});

const tally = {
  runs: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  unknown: Type.Integer(),
  end_causes: Type.Record(Type.String(), Type.Integer(), {
    description: 'Number of runs for each end cause.',
  }),
  duration_ms: Nullable(
    Type.Object(
      { mean: Type.Integer(), median: Type.Integer(), p95: Type.Integer() },
      {
        additionalProperties: false,
        description: 'The mean is exact; median and p95 are accurate to within 20 %. Null if no run started.',
      },
    ),
  ),
};

export const StatsAnswer = Type.Object(
  {
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    time_zone: Type.String({ description: 'The time zone of the machine, in which days are counted.' }),
    history: Type.Object(
      { runs: Type.Integer(), bytes: Type.Integer() },
      {
        additionalProperties: false,
        description: 'The number of stored runs and their size on disk.',
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
          begins_at: Type.String({ format: 'date-time', description: 'The start of the day.' }),
          ...tally,
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false, description: 'Counts of runs that have ended.' },
);
