import { useQuery } from '@tanstack/react-query';

import { healthQuery } from '../api/queries.ts';
import { useSay } from '../language/language.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { AboutHob } from './about-hob.tsx';
import { AppearancePanel, MorePages } from './appearance-panel.tsx';
import { EnvironmentList } from './environment-list.tsx';
import { Refusals } from './refusals.tsx';
import { RuntimeList } from './runtime-list.tsx';
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
