import type { Stats } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Panel } from '../parts/panel.tsx';
import { durationText } from '../parts/time.tsx';
import { Ranking } from './ranking.tsx';

const mostShown = 6;

/** Scripts by the 95th percentile of their duration, so that a single slow run does not count. */
export function SlowestScripts({ scripts, days }: { scripts: Stats['scripts']; days: number }) {
  const say = useSay();
  const slowest = scripts
    .map((script) => ({ ...script, p95: script.duration_ms?.p95 ?? 0 }))
    .filter(({ p95 }) => p95 > 0)
    .toSorted((a, b) => b.p95 - a.p95)
    .slice(0, mostShown);
  return (
    <Panel title={say('Slowest', '最慢')} aside={say('95% of runs take at most', '95% 的运行不超过')}>
      {slowest.length === 0 ? (
        <p className="py-3 text-muted">{say('No runs.', '没有运行。')}</p>
      ) : (
        <Ranking
          bar="bg-busy"
          items={slowest.map(({ script_id, script_name, p95 }) => ({
            id: script_id,
            name: script_name,
            href: `/runs?script=${script_id}&days=${days}`,
            value: p95,
            text: durationText(p95),
          }))}
        />
      )}
    </Panel>
  );
}
