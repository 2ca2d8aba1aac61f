import Type from 'typebox';
import { Closed, Count, Flag, Named, Nullable, Success, Text, Texts } from './common.ts';
import { containments, desktopStates, executorStates, warmLanguages } from './values.ts';

const WarmInterpreter = Named(
  'WarmInterpreter',
  Closed({
    language: Type.Enum(warmLanguages),
    path: Text('Path of the interpreter.'),
    preload: Texts('Modules that it has preloaded.'),
    forked: Flag(
      'true: each is a fork of one process that has loaded the modules. false: each loads them itself.',
    ),
    waiting: Count('Number of idle interpreters.'),
    memory_bytes: Type.Integer(),
  }),
);

const WarmAnswer = Named(
  'WarmInterpreters',
  Closed(
    {
      hits: Count('Runs that used a warm interpreter, since the executor started.'),
      misses: Count('Eligible runs that found no idle interpreter.'),
      memory_bytes: Count('Memory that all warm interpreters use now.'),
      budget_bytes: Count('Memory limit for warm interpreters; 0: they are disabled.'),
      short_of_memory: Flag(
        'Whether Hob starts no warm interpreters because the machine is short of memory.',
      ),
      interpreters: Type.Array(WarmInterpreter, {
        description: 'Empty if the service requires a token and the caller has not sent it.',
      }),
    },
    'Interpreters that were started ahead of time and wait for runs.',
  ),
);

const ExecutorAnswer = Named(
  'Executor',
  Closed(
    {
      state: Type.Enum(executorStates, {
        description:
          '`ready`: the executor responds. `silent`: it does not respond; synchronous calls get 503, and other runs stay queued. `none`: no executor is running.',
      }),
      pid: Nullable(Count('Process id of the executor.')),
      silent_pids: Type.Array(Type.Integer(), {
        description:
          'Process ids of all executors that do not respond, including those that only finish the runs of an earlier service.',
      }),
    },
    'The process that runs scripts.',
  ),
);

export const HealthAnswer = Named(
  'Health',
  Closed(
    {
      status: Type.Literal('ok'),
      version: Type.String(),
      interface: Type.String(),
      uptime_s: Type.Number(),
      running: Type.Integer(),
      queued: Type.Integer(),
      executor: ExecutorAnswer,
      containment: Nullable(
        Type.Enum(containments, {
          description:
            'How Hob finds the processes of a run to stop them: by cgroup and all of the following; by process group, session, environment and descent; by group and descent; by taskkill. Null until an executor is running.',
        }),
      ),
      desktop: Type.Enum(desktopStates, {
        description:
          'Whether the desktop can show notifications. `ready`: it showed the last one, or none was sent yet. `unreachable`: it did not respond to the last one. `none`: the machine has no desktop.',
      }),
      warm: WarmAnswer,
      refused: Type.Record(Type.String(), Type.Integer(), {
        description:
          'Number of requests that each access rule refused since the service started, by error code, including codes with 0.',
      }),
    },
    'The service is running.',
  ),
);

export const StopBody = Named(
  'StopRequest',
  Type.Object({
    all: Type.Optional(Flag('true: also stop all runs, and do not start queued ones. Absent: false.')),
  }),
);

export const StopAnswer = Named('ServiceStopping', Success({ message: Type.String() }, 'Hob is stopping.'));

export const MetricsText = Text('Prometheus text format, version 0.0.4.');

export const SessionAnswer = Named(
  'Session',
  Success({ expires_at: Nullable(Text('When the session expires, as an ISO 8601 time.')) }, 'Done.'),
);

export const OpenApiAnswer = Named(
  'OpenApiDocument',
  Type.Record(Type.String(), Type.Unknown(), { description: 'The OpenAPI document.' }),
);
