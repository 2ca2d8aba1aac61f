import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react';

import { useSay } from '../language/language.tsx';
import { classes } from './classes.ts';
import { type ShownState, stateName } from './words-of-runs.ts';

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
