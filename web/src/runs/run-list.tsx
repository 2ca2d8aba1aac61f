import {
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Link } from 'wouter';

import type { BriefRun, RunPage } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { durationText } from '../parts/format.ts';
import { isTyping } from '../parts/keys.ts';
import { StateIcon } from '../parts/run-state.tsx';
import { Ago, Elapsed } from '../parts/time.tsx';
import { originName, runMessage, shownState, unusualEnd } from '../parts/words-of-runs.ts';
import { CancelButton } from './cancel-button.tsx';

interface RunListProps {
  readonly pages: readonly RunPage[];
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
}

/** Loads more runs while scrolling. j, k and the arrow keys move between runs; Enter opens one. */
export function RunList({ pages, hasMore, isLoadingMore, onMore }: RunListProps) {
  const say = useSay();
  const list = useRef<HTMLUListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const sizes = useMemo(() => pages.map(({ items }) => items.length), [pages]);
  const first = useReturn(list, pages);
  const { from, to, abovePx, belowPx } = useWindowRows(list, { sizes, rowPx, first });
  useRowKeys(list);

  useEffect(() => {
    if (end.current === null || !hasMore || isLoadingMore) return;
    // Load before the end is visible. Check all entries, because fast scrolling can leave and re-enter the area before the callback.
    const watch = new IntersectionObserver(
      (changes) => changes.some(({ isIntersecting }) => isIntersecting) && onMore(),
      { rootMargin: '600px' },
    );
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [hasMore, isLoadingMore, onMore]);

  return (
    <>
      <ul
        ref={list}
        aria-label={say('Runs', '运行记录')}
        className="overflow-hidden rounded-xl border border-line bg-surface"
        onClickCapture={({ target }) => noteLeftRow(target)}
      >
        <li aria-hidden style={{ height: abovePx }} />
        {pages.slice(from, to).map(({ items }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pages keep their order
          <Rows key={from + index} runs={items} />
        ))}
        <li aria-hidden style={{ height: belowPx }} />
      </ul>
      <div ref={end} className="flex justify-center py-5 text-muted">
        {hasMore ? (
          <Button disabled={isLoadingMore} onClick={onMore}>
            {isLoadingMore ? say('Loading…', '加载中……') : say('Show older runs', '显示更早的运行')}
          </Button>
        ) : (
          <span className="text-xs">{say('End of list', '没有更多了')}</span>
        )}
      </div>
    </>
  );
}

/** Memoized, so that unchanged pages are not rendered again. */
const Rows = memo(function Rows({ runs }: { runs: readonly BriefRun[] }) {
  return runs.map((run) => <RunRow key={run.run_id} run={run} />);
});

/** The height of a row on wide screens. */
const rowPx = 44;

/** Restores the focus and scroll position after returning from a run. Returns the index of the page with that run, or else 0. */
function useReturn(list: RefObject<HTMLUListElement | null>, pages: readonly RunPage[]): number {
  const [{ runId, page }] = useState(() => {
    const left = leftRow();
    const found = pages.findIndex(({ items }) => items.some(({ run_id }) => run_id === left));
    return { runId: left, page: Math.max(0, found) };
  });
  useLayoutEffect(() => {
    const row =
      runId === null ? null : list.current?.querySelector<HTMLElement>(`[${rowMark}="${CSS.escape(runId)}"]`);
    row?.focus({ preventScroll: true });
    row?.closest('li')?.scrollIntoView({ block: 'center' });
  }, [list, runId]);
  return page;
}

function useRowKeys(list: RefObject<HTMLUListElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = stepOf(event);
      const rows = [...(list.current?.querySelectorAll<HTMLElement>(`[${rowMark}]`) ?? [])];
      if (step === 0 || rows.length === 0) return;
      const { activeElement } = document;
      const at = activeElement instanceof HTMLElement ? rows.indexOf(activeElement) : -1;
      // The arrow keys scroll the page, unless a row already has the focus.
      if (at < 0 && event.key.startsWith('Arrow')) return;
      event.preventDefault();
      const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
      next?.focus({ preventScroll: true });
      next?.closest('li')?.scrollIntoView({ block: 'nearest' });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [list]);
}

function stepOf({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): number {
  if (ctrlKey || metaKey || altKey || isTyping(target)) return 0;
  // Menus and dialogs handle keys themselves.
  if (target instanceof Element && target.closest('[role="dialog"], [role="menu"], [role="listbox"]'))
    return 0;
  if (key === 'j' || key === 'ArrowDown') return 1;
  return key === 'k' || key === 'ArrowUp' ? -1 : 0;
}

/** Stores the clicked row in the current entry of the browser history, so that Back returns to it. */
function noteLeftRow(target: EventTarget): void {
  const row = target instanceof Element ? target.closest(`[${rowMark}]`) : null;
  if (row !== null) history.replaceState({ leftRow: row.getAttribute(rowMark) }, '');
}

/** The run that was opened from this history entry; null if none was. */
function leftRow(): string | null {
  const state: unknown = history.state;
  if (typeof state !== 'object' || state === null) return null;
  const row: unknown = Reflect.get(state, 'leftRow');
  return typeof row === 'string' ? row : null;
}

/** A run in one line, or in three lines on phones. The whole row is a link. */
const RunRow = memo(function RunRow({ run }: { run: BriefRun }) {
  const say = useSay();
  const { run_id, script_name, state, origin, queued_at } = run;
  const isOver = run.ended_at !== null;
  const end = unusualEnd(run.end_cause, say);
  const message = runMessage(run, say);
  return (
    <li className="relative grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-3 py-2.5 [contain-intrinsic-size:auto_2.75rem] [content-visibility:auto] nth-last-2:border-b-0 focus-within:bg-hover hover:bg-hover md:h-11 md:grid-cols-[auto_minmax(0,2fr)_minmax(0,3fr)_6.5rem_6rem_4.5rem_1.75rem] md:py-0">
      <StateIcon state={shownState(run)} />
      <Link
        href={`/runs/${run_id}`}
        title={script_name}
        className="truncate font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        {...{ [rowMark]: run_id }}
      >
        {script_name}
      </Link>
      <span className="truncate text-muted max-md:col-span-2 max-md:col-start-2 max-md:row-start-2 max-md:empty:hidden">
        {end !== null && <span className="mr-2 rounded bg-hover px-1.5 py-px text-xs text-ink">{end}</span>}
        {message !== end && message}
      </span>
      <span className="text-xs text-muted max-md:col-start-2 max-md:row-start-3 max-md:flex max-md:gap-2 md:contents">
        <span className="truncate">{originName(origin, say)}</span>
        <span className="md:text-right">
          <Ago time={queued_at} />
        </span>
      </span>
      <span
        className={classes(
          'text-right text-xs tabular-nums max-md:col-start-3 max-md:row-start-1',
          state === 'running' ? 'text-busy' : 'text-muted',
        )}
      >
        <RunTime run={run} />
      </span>
      <span className="relative z-10 grid justify-items-end max-md:col-start-3 max-md:row-start-3 max-md:empty:hidden">
        {!isOver && <CancelButton run={run} />}
      </span>
    </li>
  );
});

/** The duration of a run, updated while it is active. */
function RunTime({ run }: { run: Pick<BriefRun, 'started_at' | 'ended_at' | 'duration_ms'> }) {
  // A run that never started has no duration.
  if (run.started_at === null) return '–';
  if (run.duration_ms !== null) return durationText(run.duration_ms);
  if (run.ended_at !== null) return '–';
  return <Elapsed since={run.started_at} />;
}

/** A range of parts of a list, `to` excluded, with the height of the parts before and after it. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly abovePx: number;
  readonly belowPx: number;
}

interface WindowOptions {
  /** The number of rows of each part. */
  readonly sizes: readonly number[];
  /** The estimated height of a row that is not rendered yet. */
  readonly rowPx: number;
  /** The part to render first. */
  readonly first: number;
}

/** Heights of the window to render above and below the view. */
const spareViews = 1.5;

/**
 * The parts of a long list near the view; the page scrolls. The caller always renders an empty row of `abovePx` before them and one of
 * `belowPx` after them.
 */
function useWindowRows(list: RefObject<HTMLElement | null>, { sizes, rowPx, first }: WindowOptions): Window {
  /** The average row height of each part that was rendered. */
  const measured = useRef(new Map<number, number>());
  const [range, setRange] = useState({ from: first, to: first + 1 });
  const { from, to } = range;

  const heightOf = useCallback(
    (part: number) => (measured.current.get(part) ?? rowPx) * (sizes[part] ?? 0),
    [sizes, rowPx],
  );
  const look = useCallback(() => {
    if (list.current === null) return;
    // Measure each time: rows with content-visibility get their real height only when they are seen.
    measure(list.current, { from, to, sizes, into: measured.current });
    const { top } = list.current.getBoundingClientRect();
    const next = nearTo(
      sizes.map((_, part) => heightOf(part)),
      {
        fromPx: -top - innerHeight * spareViews,
        toPx: -top + innerHeight * (1 + spareViews),
      },
    );
    setRange((old) => (old.from === next.from && old.to === next.to ? old : next));
  }, [list, from, to, sizes, heightOf]);

  useLayoutEffect(look, [look]);

  useEffect(() => {
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [look]);

  const sum = (some: readonly number[], offset: number) =>
    some.reduce((px, _, index) => px + heightOf(offset + index), 0);
  return { from, to, abovePx: sum(sizes.slice(0, from), 0), belowPx: sum(sizes.slice(to), to) };
}

/** The parts that overlap a vertical range, at least one. */
export function nearTo(
  heights: readonly number[],
  { fromPx, toPx }: { fromPx: number; toPx: number },
): { from: number; to: number } {
  let [px, from, to] = [0, 0, 0];
  for (const [part, height] of heights.entries()) {
    if (px + height <= fromPx) from = part + 1;
    if (px < toPx) to = part + 1;
    px += height;
  }
  from = Math.max(0, Math.min(from, heights.length - 1));
  return { from, to: Math.max(to, from + 1) };
}

/** Measures the rendered parts, whose rows are between the two empty rows. */
function measure(
  list: HTMLElement,
  {
    from,
    to,
    sizes,
    into,
  }: { from: number; to: number; sizes: readonly number[]; into: Map<number, number> },
): void {
  const topOf = (row: number) => list.children[row]?.getBoundingClientRect().top;
  let row = 1;
  for (let part = from; part < to; part++) {
    const rows = sizes[part] ?? 0;
    const [begin, end] = [topOf(row), topOf(row + rows)];
    if (begin !== undefined && end !== undefined && rows > 0) into.set(part, (end - begin) / rows);
    row += rows;
  }
}

/** The attribute with the run id, by which rows are found for keyboard navigation. */
const rowMark = 'data-run-row';
