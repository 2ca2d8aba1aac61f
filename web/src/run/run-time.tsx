import type { Run } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { durationText } from '../parts/format.ts';
import { Elapsed } from '../parts/time.tsx';

type Times = Pick<Run, 'queued_at' | 'started_at' | 'ended_at' | 'duration_ms'>;

/** The duration of a run, updated while it is active. */
export function RunTime({ run }: { run: Times }) {
  if (run.ended_at === null) return <Elapsed since={run.started_at ?? run.queued_at} isFine />;
  // A run that never started has no duration.
  return run.duration_ms === null ? '–' : durationText(run.duration_ms);
}

/** The time in the queue; null if it is less than a second. */
export function waitedMs({ queued_at, started_at, ended_at }: Times): number | null {
  const until = started_at ?? ended_at;
  if (until === null) return null;
  const ms = Date.parse(until) - Date.parse(queued_at);
  return ms >= 1000 ? ms : null;
}

export function WaitedTime({ run }: { run: Times }) {
  const say = useSay();
  const ms = waitedMs(run);
  if (ms === null) return null;
  return <span>{say(`queued for ${durationText(ms)}`, `排队 ${durationText(ms)}`)}</span>;
}
