import type { Health } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { Panel } from '../parts/panel.tsx';

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
              `${hits} of ${runs} runs that could start warm did so`,
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
