import { useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';

import { openApiQuery, settingsQuery } from '../api/queries.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { findOperations, groupOperations } from './group-operations.ts';
import { OperationCard } from './operation-card.tsx';
import { descriptionOf } from './operation-descriptions.ts';
import { titleOf } from './operation-titles.ts';
import { type Operation, readDocument } from './read-document.ts';

/** The API reference, rendered from the OpenAPI document of the service. */
export function InterfacePage() {
  const say = useSay();
  const { data, error, refetch } = useQuery(openApiQuery);
  const { data: settings } = useQuery(settingsQuery);
  const [query, setQuery] = useState('');
  const sought = useDeferredValue(query);
  const operations = useMemo(() => readDocument(data), [data]);
  const found = useMemo(
    () =>
      findOperations(
        operations,
        sought,
        (operation) => `${titleOf(operation, say)}\n${descriptionOf(operation, say)}`,
      ),
    [operations, sought, say],
  );
  const [opened, setOpened] = useOpened(operations);
  const [first] = found;
  const asksForToken = settings?.items.some(({ name, value }) => name === 'token' && value === true) === true;
  return (
    <>
      <PageTitle title={say('API reference', '接口')}>
        <a href="/api/openapi.json" className="text-accent underline underline-offset-2">
          openapi.json
        </a>
      </PageTitle>
      <p className="mb-4 max-w-prose text-muted">
        <CodeText
          text={say(
            `Programs on this machine call these paths at \`${location.origin}\`. If Hob requires a token, they send it as \`Authorization: Bearer\`. A script appends the paths to its own \`api_base\`, which contains a run token that identifies the calling run.`,
            `本机程序在 \`${location.origin}\` 调用以下路径；如果 Hob 要求令牌，请以 \`Authorization: Bearer\` 发送。脚本应将路径拼接到自己的 \`api_base\` 之后，其中的运行令牌表明是哪次运行在调用。`,
          )}
        />
      </p>
      <SearchField
        value={query}
        onChange={setQuery}
        label={say('Search the API', '搜索接口')}
        placeholder={say('Search by path, name or parameter', '按路径、名称或参数搜索')}
        onEnter={() => first && setOpened(first.id, true)}
      />
      {data === undefined ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : found.length === 0 ? (
        <Empty
          title={say('No matching endpoints', '没有匹配的接口')}
          action={<Button onClick={() => setQuery('')}>{say('Clear search', '清除搜索')}</Button>}
        />
      ) : (
        <div className="flex flex-col gap-6">
          {groupOperations(found).map((group) => (
            <section key={group.key} aria-labelledby={`group-${group.key}`}>
              <h2 id={`group-${group.key}`} className="mb-2 font-semibold">
                {group.name(say)}
              </h2>
              <ul className="divide-y divide-line overflow-clip rounded-xl border border-line bg-surface">
                {group.operations.map((operation) => (
                  <OperationCard
                    key={operation.id}
                    operation={operation}
                    asksForToken={asksForToken}
                    isOpen={opened.has(operation.id)}
                    onToggle={(isOpen) => setOpened(operation.id, isOpen)}
                  />
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </>
  );
}

/** The expanded operations. The URL names the last one, so that it can be shared. */
function useOpened(
  operations: readonly Operation[],
): [ReadonlySet<string>, (id: string, isOpen: boolean) => void] {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const set = useCallback((id: string, isOpen: boolean) => {
    setOpened((before) => {
      const after = new Set(before);
      if (isOpen) after.add(id);
      else after.delete(id);
      return after;
    });
    // Expanding an operation adds no entry to the browser history.
    if (isOpen) history.replaceState(history.state, '', `#${id}`);
  }, []);
  useEffect(() => {
    const follow = () => {
      const id = location.hash.slice(1);
      if (!operations.some((operation) => operation.id === id)) return;
      set(id, true);
      // The card is already rendered, collapsed.
      const card = document.getElementById(id);
      card?.scrollIntoView({ block: 'start' });
      card?.querySelector('button')?.focus({ preventScroll: true });
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [operations, set]);
  return [opened, set];
}
