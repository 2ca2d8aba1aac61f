import type { ReactNode } from 'react';

import type { Stats } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { useCountText } from '../parts/count-text.ts';
import { durationText } from '../parts/time.tsx';
import { countsOf, judgedOf } from './outcome-counts.ts';
import { rateText } from './rate-text.ts';

/** The key figures of the time range. */
export function Totals({ stats }: { stats: Stats }) {
  const say = useSay();
  const count = useCountText();
  const { all, history } = stats;
  const durations = all.duration_ms;
  const counts = countsOf(all);
  const others = [
    counts.stopped > 0 && say(`${count(counts.stopped)} stopped`, `${count(counts.stopped)} 次被停止`),
    counts.unknown > 0 && say(`${count(counts.unknown)} unknown`, `${count(counts.unknown)} 次结果未知`),
  ].filter((text) => typeof text === 'string');
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name={say('Runs', '运行次数')} value={count(all.runs)}>
        {say(
          `${count(history.runs)} in history, ${bytesText(history.bytes)}`,
          `保留 ${count(history.runs)} 条记录，${bytesText(history.bytes)}`,
        )}
      </Figure>
      <Figure
        name={say('Success rate', '成功率')}
        value={rateText(counts.succeeded, judgedOf(counts)) ?? '–'}
      >
        {say(`${count(all.succeeded)} succeeded`, `${count(all.succeeded)} 次成功`)}
      </Figure>
      <Figure name={say('Failed', '失败')} value={count(counts.failed)}>
        {others.length > 0 && say(`plus ${others.join(', ')}`, `另有 ${others.join('，')}`)}
      </Figure>
      <Figure
        name={say('Median duration', '典型耗时')}
        value={durations === null ? '–' : durationText(durations.median)}
      >
        {durations !== null &&
          say(`95% within ${durationText(durations.p95)}`, `95% 在 ${durationText(durations.p95)} 内`)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly children: ReactNode;
}

function Figure({ name, value, children }: FigureProps) {
  return (
    <div className="rounded-xl border border-line bg-surface px-4 py-3">
      <dt className="text-[13px] text-muted">{name}</dt>
      <dd className="mt-0.5 text-2xl font-semibold tracking-tight tabular-nums">{value}</dd>
      <dd className="min-h-[1lh] text-xs text-muted">{children}</dd>
    </div>
  );
}
