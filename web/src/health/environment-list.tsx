import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { callService } from '../api/call-service.ts';
import { useLive } from '../api/live-events.tsx';
import { environmentsQuery } from '../api/queries.ts';
import type { Environment, EnvironmentRemoved } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { Failure, messageOf } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { Panel } from '../parts/panel.tsx';
import { useToast } from '../parts/toasts.tsx';
import { EnvironmentRow } from './environment-row.tsx';

/** The package environments on disk. */
export function EnvironmentList() {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const { subscribe } = useLive();
  const { data, error, refetch } = useQuery(environmentsQuery);
  useEffect(
    () =>
      subscribe(({ type, data: run }) => {
        // Hob builds environments in runs with the origin `hob`.
        if (type.startsWith('run.') && run.origin === 'hob') void client.invalidateQueries(environmentsQuery);
      }),
    [client, subscribe],
  );
  const remove = useMutation({
    mutationFn: ({ key }: Environment) =>
      callService<EnvironmentRemoved>(`/api/environments/${encodeURIComponent(key)}`, { method: 'DELETE' }),
    onSuccess: ({ message, freed_bytes: freed }) => {
      const size = bytesText(freed);
      toast({ kind: 'success', title: message, message: say(`${size} freed`, `已释放 ${size}`) });
    },
    onError: (refusal) => toast({ kind: 'error', title: messageOf(refusal) }),
    onSettled: () => client.invalidateQueries(environmentsQuery),
  });
  const bytes = (data?.items ?? []).reduce((sum, each) => sum + each.bytes, 0);
  return (
    <Panel
      title={say('Environments', '运行环境')}
      note={
        bytes > 0
          ? say(`${bytesText(bytes)} on disk`, `占用磁盘 ${bytesText(bytes)}`)
          : say('Packages that scripts depend on, isolated from each other.', '脚本所需的依赖包，彼此隔离。')
      }
    >
      {data === undefined ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : data.items.length === 0 ? (
        <p className="text-muted">
          {say(
            'No environments. Hob creates one when a script that declares packages first runs.',
            '目前没有。声明了依赖包的脚本会在首次运行时创建。',
          )}
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {data.items.map((environment) => (
            <EnvironmentRow
              key={environment.key}
              environment={environment}
              isBusy={remove.isPending}
              onRemove={() => remove.mutate(environment)}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}
