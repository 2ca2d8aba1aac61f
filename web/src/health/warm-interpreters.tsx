import { useQuery } from '@tanstack/react-query';

import { healthQuery } from '../api/queries.ts';
import { formatRate, type Health } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { bytesText, useCountText } from '../parts/format.ts';
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
                `${count(hits)} of ${count(runs)} (${formatRate(hits, runs)})`,
                `${count(runs)} 次中 ${count(hits)} 次（${formatRate(hits, runs)}）`,
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

/** The warm interpreters, their memory and their hit rate. */
export function WarmInterpreters({ warm }: { warm: Health['warm'] }) {
  const say = useSay();
  const { hits, misses, budget_bytes: budget, memory_bytes: memory, interpreters } = warm;
  const runs = hits + misses;
  const title = say('Warm interpreters', '预热的解释器');
  if (budget === 0)
    return (
      <Panel title={title}>
        <p className="text-muted">
          {say(
            'Off (warm_memory_mb is 0). Every run starts a new interpreter.',
            '已关闭（warm_memory_mb 为 0）：每次运行都启动新的解释器。',
          )}
        </p>
      </Panel>
    );
  return (
    <Panel
      title={title}
      note={`${say(
        `${bytesText(memory)} of ${bytesText(budget)}`,
        `占用 ${bytesText(memory)}，上限 ${bytesText(budget)}`,
      )} · ${
        runs === 0
          ? say('no runs that could start warm yet', '还没有运行能用上')
          : say(
              `Warm starts: ${hits} of ${runs} eligible runs`,
              `${runs} 次可预热的运行中有 ${hits} 次用上了`,
            )
      }`}
    >
      {warm.short_of_memory && (
        <p className="mb-3 rounded-lg bg-warn-ground px-3 py-2 text-warn">
          {say(
            'This machine is low on memory. Hob starts no warm interpreters for now.',
            '这台机器内存不足，暂不预热新的解释器。',
          )}
        </p>
      )}
      {interpreters.length === 0 ? (
        <p className="text-muted">
          {say(
            'No warm interpreters. Hob starts one when a script first runs.',
            '没有待命的解释器。脚本首次运行后会出现。',
          )}
        </p>
      ) : (
        <div className="overflow-x-auto">
          <table className="w-full text-left">
            <thead className="text-xs text-muted">
              <tr>
                <th scope="col" className="py-1 pr-4 font-medium">
                  {say('Interpreter', '解释器')}
                </th>
                <th scope="col" className="py-1 pr-4 text-right font-medium whitespace-nowrap">
                  {say('Ready', '待命')}
                </th>
                <th scope="col" className="py-1 text-right font-medium">
                  {say('Memory', '内存')}
                </th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {interpreters.map(({ language, path, preload, waiting, memory_bytes: size }) => (
                <tr key={`${path}\n${preload.join()}`}>
                  <td className="py-2 pr-4">
                    {language}
                    {preload.length > 0 && (
                      <span className="text-muted">
                        {say(` with ${preload.join(', ')}`, `，已加载 ${preload.join('、')}`)}
                      </span>
                    )}
                    <span className="block font-mono text-xs break-all text-muted">{path}</span>
                  </td>
                  <td className="py-2 pr-4 text-right tabular-nums">{waiting}</td>
                  <td className="py-2 text-right whitespace-nowrap tabular-nums">{bytesText(size)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
