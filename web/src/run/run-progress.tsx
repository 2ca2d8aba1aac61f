import type { Progress } from '../api/progress.ts';
import { useSay } from '../language/language.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';

/** The progress that the script reported. */
export function RunProgress({ progress: { fraction, message } }: { progress: Progress }) {
  const say = useSay();
  return (
    <div className="mb-4">
      <p className="mb-1.5 flex gap-3 text-muted">
        <span className="min-w-0 grow wrap-anywhere">{message}</span>
        {fraction !== null && <span className="tabular-nums">{Math.round(fraction * 100)}%</span>}
      </p>
      <ProgressBar fraction={fraction} label={message ?? say('Progress', '进度')} />
    </div>
  );
}
