import { useQuery } from '@tanstack/react-query';

import { healthQuery } from '../api/queries.ts';
import type { Health } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { bytesText, rateText, useCountText } from '../parts/format.ts';

import { Panel } from '../parts/panel.tsx';

interface MeterProps {
  readonly label: string;
  /** From 0 to 1. */
  readonly fraction: number;
  /** The value as text. */
  readonly text: string;
}

/** No event reports changes of memory, so the page polls. */
const lookEveryMs = 10_000;

/** The hit rate and the memory of warm interpreters. */
export function WarmUse() {
  const say = useSay();
  const { data } = useQuery({ ...healthQuery, refetchInterval: lookEveryMs });
  return (
    <Panel title={say('Warm interpreters', '预热解释器')}>
      {data && (data.warm.budget_bytes === 0 ? <TurnedOff /> : <Use warm={data.warm} />)}
    </Panel>
  );
}

function TurnedOff() {
  const say = useSay();
  return (
    <p className="py-3 text-muted">
      {say('Off. Every run starts a new interpreter.', '已关闭：每次运行都会启动新的解释器。')}
    </p>
  );
}

function Use({ warm }: { warm: Health['warm'] }) {
  const say = useSay();
  const count = useCountText();
  const { hits, misses, memory_bytes, budget_bytes, interpreters, short_of_memory } = warm;
  const runs = hits + misses;
  return (
    <div className="flex flex-col gap-3.5 text-[13px]">
      <Meter
        label={say('Warm starts', '命中率')}
        fraction={runs === 0 ? 0 : hits / runs}
        text={
          runs === 0
            ? say('None yet', '暂无')
            : say(
                `${count(hits)} of ${count(runs)} (${rateText(hits, runs)})`,
                `${count(runs)} 次中 ${count(hits)} 次（${rateText(hits, runs)}）`,
              )
        }
      />
      <Meter
        label={say('Memory used', '内存占用 / 预算')}
        fraction={memory_bytes / budget_bytes}
        text={`${bytesText(memory_bytes)} / ${bytesText(budget_bytes)}`}
      />
      {short_of_memory && (
        <p className="text-warn">
          {say(
            'This machine is low on memory. Hob starts no warm interpreters for now.',
            '本机内存不足，暂不启动新的预热解释器。',
          )}
        </p>
      )}
      <ul className="flex flex-col gap-1">
        {interpreters.map((each) => (
          <li key={`${each.path} ${each.preload.join()}`} className="flex items-baseline gap-3">
            <span className="min-w-0 truncate" title={each.path}>
              {each.language}
              {each.preload.length > 0 && <span className="text-muted"> + {each.preload.join(', ')}</span>}
            </span>
            <span className="ml-auto shrink-0 text-xs text-muted tabular-nums">
              {say(`${each.waiting} ready`, `${each.waiting} 个待命`)}, {bytesText(each.memory_bytes)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A bar for a value with a maximum. */
function Meter({ label, fraction, text }: MeterProps) {
  const percent = Math.min(100, Math.max(0, Math.round(fraction * 100)));
  return (
    <div>
      <div className="flex items-baseline justify-between gap-3">
        <span className="text-muted">{label}</span>
        <span className="text-xs tabular-nums">{text}</span>
      </div>
      <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-hover">
        <div className="h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}
