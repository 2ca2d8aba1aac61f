import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react';

import type { Run, RunState } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { classes } from './classes.ts';

/** The displayed state of a run. A cancelled run has the state `failed`, but is shown as cancelled. */
export type ShownState = RunState | 'cancelled';

export function shownState({ state, end_cause }: Pick<Run, 'state' | 'end_cause'>): ShownState {
  return end_cause === 'cancelled' ? 'cancelled' : state;
}

interface Look {
  readonly icon: LucideIcon;
  readonly ink: string;
  readonly ground: string;
}

export const stateLooks: Readonly<Record<ShownState, Look>> = {
  queued: { icon: CircleDashed, ink: 'text-muted', ground: 'bg-hover' },
  running: { icon: LoaderCircle, ink: 'text-busy', ground: 'bg-busy-ground' },
  succeeded: { icon: CircleCheck, ink: 'text-good', ground: 'bg-good-ground' },
  failed: { icon: CircleAlert, ink: 'text-bad', ground: 'bg-bad-ground' },
  cancelled: { icon: Ban, ink: 'text-muted', ground: 'bg-hover' },
  unknown: { icon: CircleHelp, ink: 'text-warn', ground: 'bg-warn-ground' },
};

export function stateName(state: ShownState, say: Say): string {
  const names: Readonly<Record<ShownState, string>> = {
    queued: say('Queued', '排队中'),
    running: say('Running', '运行中'),
    succeeded: say('Succeeded', '成功'),
    failed: say('Failed', '失败'),
    cancelled: say('Cancelled', '已取消'),
    unknown: say('Unknown', '未知'),
  };
  return names[state];
}

export function StateIcon({ state, size = 16 }: { state: ShownState; size?: number }) {
  const say = useSay();
  const { icon: Icon, ink } = stateLooks[state];
  return (
    <Icon
      size={size}
      role="img"
      aria-label={stateName(state, say)}
      className={classes('shrink-0', ink, state === 'running' && 'animate-spin')}
    />
  );
}

export function StateBadge({ state }: { state: ShownState }) {
  const say = useSay();
  const { icon: Icon, ink, ground } = stateLooks[state];
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-medium',
        ink,
        ground,
      )}
    >
      <Icon size={14} aria-hidden className={state === 'running' ? 'animate-spin' : ''} />
      {stateName(state, say)}
    </span>
  );
}
