import Type from 'typebox';

import { desktopStates } from '../../notifications/desktop/desktop.ts';
import { containments } from '../../runs/run-record.ts';
import { Nullable } from './common.ts';

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
    desktop: Type.Enum(desktopStates, {
      description:
        'Where notifications are shown as bubbles: on a desktop that took the last one, or none was sent yet; on one that did not answer last time; on none, as this machine has none.',
    }),
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

export const MetricsText = Type.String({ description: 'Version 0.0.4 of the format.' });

export const SessionAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    expires_at: Nullable(Type.String({ description: 'When the cookie is of no use any more; ISO.' })),
  },
  { additionalProperties: false, description: 'Done.' },
);
