import { useSay } from '../language/language.tsx';
import { Panel } from '../parts/panel.tsx';
import { refusalWords } from './service-words.ts';

/** The refused requests since the service started, by reason. Renders nothing if there are none. */
export function Refusals({ refused }: { refused: Readonly<Record<string, number>> }) {
  const say = useSay();
  const counts = Object.entries(refused)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  if (counts.length === 0) return null;
  return (
    <Panel
      title={say('Refused requests', '被拒绝的请求')}
      note={say('Requests that Hob has refused since it started.', '自 Hob 启动以来未被受理的请求。')}
    >
      <ul className="flex flex-col divide-y divide-line">
        {counts.map(([code, count]) => (
          <li key={code} className="flex items-baseline gap-3 py-1.5">
            <span className="min-w-0 grow">
              {refusalWords(code, say)} <code className="font-mono text-xs text-muted">{code}</code>
            </span>
            <span className="tabular-nums">{count}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
