import { useQuery } from '@tanstack/react-query';

import { healthQuery } from '../api/queries.ts';
import { useSay } from '../language/language.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { AboutHob } from './about-hob.tsx';
import { AppearancePanel, MorePages } from './appearance-panel.tsx';
import { EnvironmentList } from './environment-list.tsx';
import { RuntimeList } from './runtime-list.tsx';
import { refusalWords } from './service-words.ts';
import { SettingList } from './setting-list.tsx';
import { StopPanel } from './stop-panel.tsx';
import { WarmInterpreters } from './warm-interpreters.tsx';

/** No event reports interpreters that exit or refused requests, so the page polls. */
const lookAgainMs = 5000;

/** The state and the settings of the service. */
export function HealthPage() {
  const say = useSay();
  const { data, error, refetch, dataUpdatedAt } = useQuery({ ...healthQuery, refetchInterval: lookAgainMs });
  return (
    <>
      <PageTitle title={say('Settings', '设置')} />
      <div className="flex flex-col gap-4">
        <MorePages />
        {data === undefined ? (
          error ? (
            <Failure error={error} onRetry={() => void refetch()} />
          ) : (
            <Loading />
          )
        ) : (
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <div className="flex min-w-0 flex-col gap-4">
              <AboutHob health={data} askedAt={dataUpdatedAt} />
              <AppearancePanel />
              <WarmInterpreters warm={data.warm} />
              <Refusals refused={data.refused} />
            </div>
            <div className="flex min-w-0 flex-col gap-4">
              <RuntimeList />
              <EnvironmentList />
            </div>
            <SettingList />
            <StopPanel />
          </div>
        )}
      </div>
    </>
  );
}

/** The refused requests since the service started, by reason. Renders nothing if there are none. */
function Refusals({ refused }: { refused: Readonly<Record<string, number>> }) {
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
