import { useQuery } from '@tanstack/react-query';
import { ChevronRight, Link2 } from 'lucide-react';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';

import { openApiQuery, settingsQuery } from '../api/queries.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CodeText } from '../parts/code.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { OperationDetails } from './operation-details.tsx';
import { descriptionOf, titleOf } from './operation-words.ts';
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
        <Pending error={error} refetch={refetch} />
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

interface Group {
  readonly key: string;
  readonly name: (say: Say) => string;
  readonly has: RegExp;
  /** Sorted by path, or else in the order of the document. */
  readonly isSorted: boolean;
}

/** Sorts by path. Methods of one path keep the order of the document. */
function byPath(a: Operation, b: Operation): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

/** In the order of the page. The last group takes all remaining operations. */
const groups: readonly Group[] = [
  {
    key: 'calls',
    name: (say) => say('Running scripts, and calls from scripts', '运行脚本，以及脚本可调用的接口'),
    has: /^\/api\/(?:execute|link|notify|model\/path|progress)$/,
    isSorted: false,
  },
  { key: 'scripts', name: (say) => say('Scripts', '脚本'), has: /^\/api\/scripts?\b/, isSorted: true },
  {
    key: 'runs',
    name: (say) => say('Runs and events', '运行记录与事件'),
    has: /^\/api\/(?:runs|stats|events|outcomes)\b/,
    isSorted: true,
  },
  { key: 'triggers', name: (say) => say('Triggers', '触发器'), has: /^\/api\/triggers\b/, isSorted: true },
  {
    key: 'packages',
    name: (say) => say('Packages and environments', '脚本包与运行环境'),
    has: /^\/api\/(?:packages|environments)\b/,
    isSorted: true,
  },
  { key: 'secrets', name: (say) => say('Secrets', '密钥'), has: /^\/api\/secrets\b/, isSorted: true },
  { key: 'models', name: (say) => say('Models', '模型'), has: /^\/api\/models\b/, isSorted: true },
  { key: 'service', name: (say) => say('Service', '服务'), has: /^/, isSorted: true },
];

interface GroupedOperations {
  readonly key: string;
  readonly name: Group['name'];
  readonly operations: readonly Operation[];
}

/** The operations by group, without empty groups. */
export function groupOperations(operations: readonly Operation[]): GroupedOperations[] {
  const groupOf = ({ path }: Operation) => groups.find(({ has }) => has.test(path))?.key;
  return groups
    .map(({ key, name, isSorted }) => {
      const some = operations.filter((each) => groupOf(each) === key);
      return { key, name, operations: isSorted ? some.sort(byPath) : some };
    })
    .filter(({ operations: some }) => some.length > 0);
}

/** Finds operations in which every word of the query occurs in the path, the texts or the parameter names. */
export function findOperations(
  operations: readonly Operation[],
  query: string,
  wordsOf: (operation: Operation) => string,
): Operation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const { method, path, summary, description, parameters } = operation;
    const names = parameters.map(({ name }) => name);
    const text = [method, path, summary, wordsOf(operation), description, ...names].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

interface OperationCardProps {
  readonly operation: Operation;
  readonly asksForToken: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

const colours: Readonly<Record<string, string>> = {
  GET: 'bg-busy-ground text-busy',
  POST: 'bg-good-ground text-good',
  DELETE: 'bg-bad-ground text-bad',
};

function OperationCard({ operation, asksForToken, isOpen, onToggle }: OperationCardProps) {
  const say = useSay();
  const { id, method, path } = operation;
  return (
    <li id={id} className="group/card scroll-mt-4">
      <div className="flex items-center hover:bg-hover">
        <h3 className="min-w-0 grow">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={`${id}-details`}
            onClick={() => onToggle(!isOpen)}
            className="flex w-full items-center gap-x-3 px-4 py-2.5 text-left -outline-offset-2"
          >
            <ChevronRight
              size={16}
              aria-hidden
              className={classes('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
            />
            <span
              className={classes(
                'w-16 shrink-0 rounded py-0.5 text-center font-mono text-xs font-medium',
                colours[method] ?? 'bg-hover text-muted',
              )}
            >
              {method}
            </span>
            <span className="grid min-w-0 grow items-baseline gap-x-4 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
              <code className="font-mono text-[13px] font-medium wrap-anywhere">{path}</code>
              <span className="text-[13px] text-muted">{titleOf(operation, say)}</span>
            </span>
          </button>
        </h3>
        <a
          href={`#${id}`}
          aria-label={say(`Link to ${method} ${path}`, `${method} ${path} 的链接`)}
          className="mr-2 grid size-8 shrink-0 place-items-center rounded-lg text-muted opacity-0 group-focus-within/card:opacity-100 group-hover/card:opacity-100 max-md:hidden"
        >
          <Link2 size={15} aria-hidden />
        </a>
      </div>
      <div id={`${id}-details`} hidden={!isOpen}>
        {isOpen && <OperationDetails operation={operation} asksForToken={asksForToken} />}
      </div>
    </li>
  );
}
