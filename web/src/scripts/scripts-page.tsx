import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';

import { outcomesQuery, scriptsQuery } from '../api/queries.ts';
import type { Outcome, Problem, Script, ScriptOutcomes } from '../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../language/language.tsx';
import { InstallButton } from '../packages/install-button.tsx';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useTypedText } from '../parts/use-typed-text.ts';
import { useFavourites } from './favourites.ts';
import { findScripts, fold, placeNames, wordsOf } from './find-scripts.ts';

import { ProblemList, unusableFolders } from './problem-list.tsx';

import { cardId, type Marked, ScriptList } from './script-list.tsx';

interface Order {
  readonly favourites: ReadonlySet<string>;
  readonly lastRuns: ReadonlyMap<string, Outcome>;
  /** The language tag for comparing names. */
  readonly tag: string;
}

export function ScriptsPage() {
  const { say, language } = useLanguage();
  const tag = tagOf(language);
  const [, navigate] = useLocation();
  const { data, error, refetch } = useQuery(scriptsQuery);
  const { data: outcomes } = useQuery(outcomesQuery(1));
  const [favourites, toggleFavourite] = useFavourites();
  const write = (text: string) =>
    navigate(text === '' ? '/' : `/?${new URLSearchParams({ q: text })}`, { replace: true });
  const [query, setQuery] = useTypedText(new URLSearchParams(useSearch()).get('q') ?? '', write);

  const lastRuns = useMemo(() => lastRunOfEach(outcomes?.items ?? []), [outcomes]);
  const ordered = useMemo(
    () => inOrder(data?.scripts ?? [], { favourites, lastRuns, tag }),
    [data, favourites, lastRuns, tag],
  );
  // Search synchronously with every letter, because the next key may be Enter.
  const found = useMemo(() => findScripts(ordered, query), [ordered, query]);
  const unusable = useMemo(() => unusableFolders(data?.scripts ?? [], data?.problems ?? []), [data]);
  const problems = useMemo(() => findProblems(data?.problems ?? [], query), [data, query]);
  const listId = useId();
  const [stepped, setStepped] = useState<string | null>(null);
  const marked = markedOf(found, stepped, query !== '');
  const chosen = found[marked?.index ?? 0];

  const open = ({ id }: Script) => {
    // Write the query to the URL without delay, so that Back restores it.
    write(query);
    navigate(`/scripts/${id}`);
  };

  return (
    <>
      <PageTitle title={say('Scripts', '脚本')}>
        <InstallButton />
      </PageTitle>
      <SearchField
        value={query}
        onChange={(text) => {
          setQuery(text);
          setStepped(null);
        }}
        label={say('Search scripts', '搜索脚本')}
        placeholder={say('Search by name, description or ID', '按名称、描述或 ID 搜索')}
        onEnter={() => chosen && open(chosen)}
        {...(found.length > 0 && {
          results: {
            id: listId,
            markedId: marked === null ? undefined : cardId(listId, marked.index),
            onStep: (step) => setStepped(found[stepFrom(marked, step, found.length)]?.folder ?? null),
          },
        })}
      />
      {data === undefined ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <>
          <ProblemList problems={problems} isAside={query === ''} />
          {found.length > 0 && (
            <ScriptList
              id={listId}
              scripts={found}
              marked={marked}
              lastRuns={lastRuns}
              favourites={favourites}
              onFavourite={toggleFavourite}
              unusable={unusable}
            />
          )}
          {found.length === 0 && (query === '' || problems.length === 0) && (
            <NothingFound isSearch={query !== ''} onClear={() => setQuery('')} />
          )}
        </>
      )}
    </>
  );
}

function NothingFound({ isSearch, onClear }: { isSearch: boolean; onClear: () => void }) {
  const say = useSay();
  if (isSearch)
    return (
      <Empty
        title={say('No matching scripts', '没有匹配的脚本')}
        action={<Button onClick={onClear}>{say('Clear search', '清除搜索')}</Button>}
      />
    );
  return (
    <Empty title={say('No scripts yet', '还没有脚本')}>
      {say('Create one: ', '新建一个：')}
      <code className="font-mono text-ink">hob new</code>
      {say('. Or install one: ', '，或安装一个：')}
      <code className="font-mono text-ink">hob install &lt;{say('folder', '文件夹')}&gt;</code>
    </Empty>
  );
}

/** The script that Enter opens: the one selected by the arrow keys, or else the first result of a search. */
function markedOf(found: readonly Script[], stepped: string | null, isSearch: boolean): Marked | null {
  const index = found.findIndex(({ folder }) => folder === stepped);
  if (index >= 0) return { index, isSteppedTo: true };
  return isSearch && found.length > 0 ? { index: 0, isSteppedTo: false } : null;
}

function stepFrom(marked: Marked | null, step: 1 | -1, count: number): number {
  return marked === null ? 0 : Math.max(0, Math.min(count - 1, marked.index + step));
}

function lastRunOfEach(outcomes: readonly ScriptOutcomes[]): Map<string, Outcome> {
  return new Map(outcomes.flatMap(({ script_id, runs }) => runs.slice(0, 1).map((run) => [script_id, run])));
}

/** Finds problems in whose file or message every word of the query occurs, so that a search for a broken script shows what is wrong. */
export function findProblems(problems: readonly Problem[], query: string): Problem[] {
  const words = wordsOf(query);
  if (words.length === 0) return [...problems];
  const placeOf = placeNames(problems.map(({ file }) => splitPath(file).folder));
  return problems.filter(({ file, message }) => {
    const { folder, name } = splitPath(file);
    const text = fold(`${placeOf(folder)}\n${name}\n${message}`);
    return words.every((word) => text.includes(word));
  });
}

function splitPath(file: string): { folder: string; name: string } {
  const at = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'));
  return { folder: file.slice(0, Math.max(0, at)), name: file.slice(at + 1) };
}

/** Sorts favourites first, then by last run, then by name with numeric comparison. */
export function inOrder(scripts: readonly Script[], { favourites, lastRuns, tag }: Order): Script[] {
  const names = new Intl.Collator(tag, { numeric: true });
  const timeOf = ({ id }: Script) => Date.parse(lastRuns.get(id)?.queued_at ?? '') || 0;
  return scripts.toSorted(
    (a, b) =>
      Number(favourites.has(b.id)) - Number(favourites.has(a.id)) ||
      timeOf(b) - timeOf(a) ||
      names.compare(a.name, b.name),
  );
}
