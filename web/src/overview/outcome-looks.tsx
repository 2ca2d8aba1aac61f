import { type Say, useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { type Ended, outcomes } from './outcome-counts.ts';

/** Outcomes differ in pattern as well as in colour. */
export const grounds: Readonly<Record<Ended, string>> = {
  succeeded: 'bg-[color-mix(in_srgb,var(--good)_75%,var(--surface))]',
  failed: 'bg-bad bg-[repeating-linear-gradient(135deg,transparent_0_3px,var(--surface)_3px_4.5px)]',
  stopped: 'bg-line-strong',
  unknown: 'border border-warn bg-warn-ground',
};

export function outcomeNames(say: Say): Readonly<Record<Ended, string>> {
  return {
    succeeded: say('Succeeded', '成功'),
    failed: say('Failed', '失败'),
    stopped: say('Stopped', '被停止'),
    unknown: say('Unknown', '未知'),
  };
}

export function Legend() {
  const names = outcomeNames(useSay());
  return (
    <span className="flex flex-wrap gap-x-4">
      {outcomes.map((outcome) => (
        <span key={outcome} className="inline-flex items-center gap-1.5">
          <span aria-hidden className={classes('size-2.5 rounded-[3px]', grounds[outcome])} />
          {names[outcome]}
        </span>
      ))}
    </span>
  );
}
