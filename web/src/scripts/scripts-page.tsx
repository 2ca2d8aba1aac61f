import { useQuery } from '@tanstack/react-query';
import { Star, TriangleAlert, Workflow } from 'lucide-react';
import { memo, type RefObject, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { outcomesQuery, scriptsQuery } from '../api/queries.ts';
import type { Outcome, Script, ScriptOutcomes } from '../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../language/language.tsx';
import { InstallButton } from '../packages/install-button.tsx';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { StateIcon } from '../parts/run-state.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Ago } from '../parts/time.tsx';
import { useRowsInView } from '../parts/use-rows-in-view.ts';
import { useTypedText } from '../parts/use-typed-text.ts';
import { shownState } from '../parts/words-of-runs.ts';
import { useFavourites } from './favourites.ts';
import { findProblems, findScripts, inOrder } from './find-scripts.ts';
import { ProblemList, unusableFolders } from './problem-list.tsx';
import { ScriptIcon } from './script-icon.tsx';

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
        placeholder={say('Search by name, slug, description or ID', '按名称、slug、描述或 ID 搜索')}
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
        <Pending error={error} refetch={refetch} />
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

interface GridShape {
  readonly columns: number;
  /** Distance between the tops of two rows. */
  readonly rowPx: number;
}

/** Distance to the edges of the window, because phones have a bar at the bottom. */
const marginPx = 80;

/** The script that Enter opens. */
interface Marked {
  readonly index: number;
  /** Whether the arrow keys selected it, so that it must be scrolled into view. */
  readonly isSteppedTo: boolean;
}

interface ScriptListProps {
  readonly id: string;
  readonly scripts: readonly Script[];
  /** By script id, like the favourites. */
  readonly lastRuns: ReadonlyMap<string, Outcome>;
  readonly favourites: ReadonlySet<string>;
  readonly onFavourite: (id: string) => void;
  /** Folders of scripts that cannot run. */
  readonly unusable: ReadonlySet<string>;
  readonly marked: Marked | null;
}

/** The cards of all scripts. Only cards near the view are rendered. */
function ScriptList(props: ScriptListProps) {
  const { id, scripts, lastRuns, favourites, onFavourite, unusable, marked } = props;
  const list = useRef<HTMLUListElement>(null);
  const { columns, rowPx } = useGridShape(list);
  const rows = Math.ceil(scripts.length / columns);
  const { from, until } = useRowsInView({ list, scrolls: 'page', count: rows, rowPx });
  useScrolledTo(list, marked?.isSteppedTo ? Math.floor(marked.index / columns) : null, rowPx);
  const first = from * columns;
  return (
    <ul
      ref={list}
      id={id}
      className="grid auto-rows-[4.25rem] grid-cols-1 gap-3 sm:auto-rows-[8rem] sm:grid-cols-2 xl:grid-cols-3"
      style={{ paddingTop: from * rowPx, paddingBottom: (rows - until) * rowPx }}
    >
      {scripts.slice(first, until * columns).map((script, offset) => (
        <ScriptCard
          key={script.folder}
          linkId={cardId(id, first + offset)}
          script={script}
          position={first + offset + 1}
          count={scripts.length}
          lastRun={lastRuns.get(script.id) ?? null}
          isFavourite={favourites.has(script.id)}
          onFavourite={onFavourite}
          isMarked={first + offset === marked?.index}
          isUnusable={unusable.has(script.folder)}
        />
      ))}
    </ul>
  );
}

function cardId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** Scrolls the page by the shortest distance that shows a row; null does nothing. */
function useScrolledTo(list: RefObject<HTMLElement | null>, row: number | null, rowPx: number): void {
  useEffect(() => {
    if (list.current === null || row === null) return;
    const top = list.current.getBoundingClientRect().top + row * rowPx;
    const below = top + rowPx - (innerHeight - marginPx);
    if (top < marginPx) scrollBy(0, top - marginPx);
    else if (below > 0) scrollBy(0, below);
  }, [list, row, rowPx]);
}

/** The number of columns and the row height of a grid with equal rows, measured before the first paint. */
function useGridShape(grid: RefObject<HTMLElement | null>): GridShape {
  const [shape, setShape] = useState<GridShape>({ columns: 1, rowPx: 100 });
  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null) return;
    const measure = () => {
      const { columns, rowPx } = shapeOf(element);
      setShape((was) => (was.columns === columns && was.rowPx === rowPx ? was : { columns, rowPx }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [grid]);
  return shape;
}

function shapeOf(element: HTMLElement): GridShape {
  const { gridTemplateColumns, gridAutoRows, rowGap } = getComputedStyle(element);
  return {
    columns: gridTemplateColumns.split(' ').length,
    rowPx: Number.parseFloat(gridAutoRows) + Number.parseFloat(rowGap),
  };
}

interface ScriptCardProps {
  readonly linkId: string;
  readonly script: Script;
  /** Position among all scripts, most of which may not be rendered. */
  readonly position: number;
  readonly count: number;
  readonly lastRun: Outcome | null;
  readonly isFavourite: boolean;
  readonly onFavourite: (id: string) => void;
  /** Marked by the arrow keys of the search field. */
  readonly isMarked: boolean;
  /** The script is listed but cannot run. */
  readonly isUnusable: boolean;
}

/** A script in four lines, or in two lines on phones. All cards have the same height. */
const ScriptCard = memo(function ScriptCard(props: ScriptCardProps) {
  const { linkId, script, position, count, lastRun, isFavourite, onFavourite, isMarked, isUnusable } = props;
  const say = useSay();
  const { id, slug, name, desc, language, node } = script;
  return (
    <li
      aria-posinset={position}
      aria-setsize={count}
      className={classes(
        'group relative rounded-xl border bg-surface transition-colors',
        isMarked
          ? 'border-accent inset-ring-1 inset-ring-accent'
          : 'border-line focus-within:border-line-strong hover:border-line-strong',
      )}
    >
      <Link
        id={linkId}
        href={`/scripts/${id}`}
        className="flex size-full items-center gap-3 overflow-hidden rounded-xl px-4 pr-11 sm:items-start sm:pt-3.5"
      >
        <ScriptIcon script={script} />
        <span className="grid min-w-0 grow grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2 text-xs leading-normal text-muted">
          <span className="col-span-2 truncate text-base font-medium text-ink sm:col-span-3" title={name}>
            {name}
          </span>
          <span className="col-start-2 col-end-4 row-start-2 line-clamp-1 text-[13px] sm:col-start-1 sm:line-clamp-2 sm:min-h-[2lh] sm:self-start">
            {desc}
          </span>
          <span className="col-start-1 row-start-2 flex min-w-0 items-center gap-2 sm:col-end-3 sm:row-start-3 sm:mt-2">
            <span className="rounded bg-hover px-1.5 py-px">{language}</span>
            <span className="min-w-0 truncate font-mono max-sm:hidden">{slug}</span>
            {node && (
              <span
                className="shrink-0"
                title={say('Other scripts can call this script', '可以被其他脚本调用')}
              >
                <Workflow size={13} aria-hidden />
                <span className="sr-only">{say('node', '节点')}</span>
              </span>
            )}
            {isUnusable && (
              <span className="inline-flex items-center gap-1 whitespace-nowrap text-bad">
                <TriangleAlert size={13} aria-hidden />
                {say('Cannot run', '无法运行')}
              </span>
            )}
          </span>
          {lastRun !== null && (
            <span className="col-start-3 row-start-1 inline-flex items-center gap-1 whitespace-nowrap sm:row-start-3 sm:mt-2 sm:-mr-7">
              <StateIcon state={shownState(lastRun)} size={14} />
              <Ago time={lastRun.queued_at} />
            </span>
          )}
        </span>
      </Link>
      <button
        type="button"
        aria-pressed={isFavourite}
        aria-label={say(`Favourite: ${name}`, `收藏：${name}`)}
        onClick={() => onFavourite(id)}
        className={classes(
          'absolute top-2 right-2 grid size-8 place-items-center rounded-lg hover:bg-hover',
          isFavourite
            ? 'text-accent'
            : 'text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-md:opacity-100',
        )}
      >
        <Star size={16} aria-hidden fill={isFavourite ? 'currentColor' : 'none'} />
      </button>
    </li>
  );
});
