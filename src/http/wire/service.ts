import Type from 'typebox';

import { desktopStates } from '../../notifications/desktop/desktop.ts';
import { containments, executorStates, warmLanguages } from '../../runs/run-record.ts';
import { Nullable } from './common.ts';

export const WarmAnswer = Type.Object(
  {
    hits: Type.Integer({
      description: 'Runs that were given to an interpreter that waited, since the executor was started.',
    }),
    misses: Type.Integer({ description: 'Runs that could have been, and started their own.' }),
    memory_bytes: Type.Integer({ description: 'What all of them take now.' }),
    budget_bytes: Type.Integer({ description: 'The most they may take; 0: there are none.' }),
    short_of_memory: Type.Boolean({
      description: 'Whether none is started for now, since this machine is short of memory.',
    }),
    interpreters: Type.Array(
      Type.Object(
        {
          language: Type.Enum(warmLanguages),
          path: Type.String({ description: 'The file of the interpreter.' }),
          preload: Type.Array(Type.String(), { description: 'Modules that it has loaded for scripts.' }),
          forked: Type.Boolean({
            description: 'Whether each is a fork of one that has loaded everything, or started by itself.',
          }),
          waiting: Type.Integer({ description: 'How many of them wait.' }),
          memory_bytes: Type.Integer(),
        },
        { additionalProperties: false },
      ),
      { description: 'Empty for callers without the token, where one is needed.' },
    ),
  },
  { additionalProperties: false, description: 'Interpreters that are started already and wait for runs.' },
);

export const ExecutorAnswer = Type.Object(
  {
    state: Type.Enum(executorStates, {
      description:
        'ready: the executor that takes runs answers. silent: it does not; synchronous calls get 503, and other runs stay queued. none: there is none at the moment.',
    }),
    pid: Nullable(Type.Integer({ description: 'Its process id.' })),
    silent_pids: Type.Array(Type.Integer(), {
      description:
        'Every executor that does not answer, including those that only finish the runs of an earlier service.',
    }),
  },
  { additionalProperties: false, description: 'The process that runs scripts.' },
);

export const HealthAnswer = Type.Object(
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
          'How the processes of a run are kept together when it is stopped: by a cgroup and all that follows; by their process group, session, environment and descent; by group and descent; by taskkill. Null until there is an executor.',
      }),
    ),
    desktop: Type.Enum(desktopStates, {
      description:
        'Where notifications are shown as bubbles: on a desktop that took the last one, or none was sent yet; on one that did not answer last time; on none, as this machine has none.',
    }),
    warm: WarmAnswer,
    refused: Type.Record(Type.String(), Type.Integer(), {
      description:
        'How often each rule of the door refused somebody since the service started, by error code. Rules that never did are there with 0.',
    }),
  },
  { additionalProperties: false, description: 'Hob is well.' },
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

export const OpenFolderBody = Type.Object({
  path: Type.String({
    description: 'Absolute. A folder itself is opened; of anything else, the folder it is in.',
  }),
});

export const OpenFolderAnswer = Type.Object(
  { status: Type.Literal('success'), folder: Type.String({ description: 'What was opened.' }) },
  { additionalProperties: false, description: 'The folder was opened.' },
);

export const MetricsText = Type.String({ description: 'Version 0.0.4 of the format.' });

export const SessionAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    expires_at: Nullable(Type.String({ description: 'When the cookie is of no use any more; ISO.' })),
  },
  { additionalProperties: false, description: 'Done.' },
);
