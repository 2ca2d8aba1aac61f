import Type from 'typebox';
import { Closed, Count, cursor, Flag, Named, Nullable, OptionalText, Page, Text, Uuid } from './common.ts';
import { RunAnswer } from './runs.ts';
import { endCauses, origins, runStates } from './values.ts';

const commaList = (values: readonly string[]) =>
  OptionalText(`One or more of ${values.join(', ')}, separated by commas.`);
const id = (description: string) => Type.Optional(Type.String({ format: 'uuid', description }));

export const RunsQuery = Type.Object({
  script: id('Runs of this script.'),
  parent: id('Runs that this run started.'),
  state: commaList(runStates),
  end_cause: commaList(endCauses),
  origin: commaList(origins),
  trigger_id: OptionalText('Runs that this trigger started.'),
  since: OptionalText('Queued at this time or later.'),
  until: OptionalText('Queued before this time.'),
  q: OptionalText('Text to find in the script name or in the message. Case is ignored.'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      default: 50,
      description: 'Maximum number of runs in the answer.',
    }),
  ),
  cursor,
});

const BriefRunAnswer = Named(
  'BriefRun',
  Closed(
    { ...RunAnswer.properties, params: Nullable(RunAnswer.properties.params) },
    'The record of a run. `data` or `params` larger than 4 KiB is null. A `result` larger than 4 KiB is reduced to its code and the first 1,000 characters of its msg.',
  ),
);

export const RunsAnswer = Named(
  'RunPage',
  Page(BriefRunAnswer, 'A page of runs; `next` is null on the last one.'),
);

export const AttemptsAnswer = Named(
  'RunAttempts',
  Closed(
    {
      first_run_id: Uuid,
      attempts: Type.Integer({ description: 'Maximum number of attempts.' }),
      next_attempt_at: RunAnswer.properties.next_attempt_at,
      runs: Type.Array(BriefRunAnswer, { description: 'The attempts on record, in order.' }),
    },
    'The series of attempts.',
  ),
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

const RunNode = Named(
  'RunNode',
  Closed(
    {
      ...TreeNode.properties,
      children: Type.Array(Type.Unsafe<unknown>({ $ref: '#/components/schemas/RunNode' })),
    },
    'A run, and the runs that it started.',
  ),
);

export const TreeAnswer = Named(
  'RunTree',
  Closed(
    {
      run_id: Type.String({ format: 'uuid', description: 'The requested run.' }),
      runs: Count('Number of runs in the tree.'),
      complete: Flag('false: the tree is too large and some runs are omitted.'),
      root: RunNode,
    },
    'The tree of runs.',
  ),
);

export const OutcomesQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Number of runs for each script.' }),
  ),
  script: OptionalText('Script ids, separated by commas. Absent: all scripts that have stored runs.'),
});

const Outcomes = Named(
  'ScriptOutcomes',
  Closed({
    script_id: Uuid,
    script_name: Text('The name in the latest run; one name for all builds of environments.'),
    runs: Type.Array(Type.Pick(RunAnswer, ['run_id', 'state', 'end_cause', 'queued_at', 'duration_ms']), {
      description: 'Newest first.',
    }),
  }),
);

export const OutcomesAnswer = Named(
  'OutcomeList',
  Closed(
    { items: Type.Array(Outcomes) },
    'The latest runs of each script; the script that ran last comes first.',
  ),
);

export const StatsQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 400, default: 30, description: 'Number of days, including today.' }),
  ),
  script: id('Runs of this script only.'),
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
    Closed(
      { mean: Type.Integer(), median: Type.Integer(), p95: Type.Integer() },
      'The mean is exact; median and p95 are accurate to within 20 %. Null if no run started.',
    ),
  ),
};

const Day = Named(
  'DayStats',
  Closed({
    day: Type.String({ format: 'date' }),
    begins_at: Type.String({ format: 'date-time', description: 'The start of the day.' }),
    ...tally,
  }),
);

export const StatsAnswer = Named(
  'Stats',
  Closed(
    {
      from: Type.String({ format: 'date' }),
      to: Type.String({ format: 'date' }),
      time_zone: Text('The time zone of the machine, in which days are counted.'),
      history: Closed(
        { runs: Type.Integer(), bytes: Type.Integer() },
        'The number of stored runs and their size on disk.',
      ),
      running: Type.Integer(),
      queued: Type.Integer(),
      all: Closed(tally),
      scripts: Type.Array(Closed({ script_id: Uuid, script_name: Type.String(), ...tally })),
      days: Type.Array(Day),
    },
    'Counts of runs that have ended.',
  ),
);
