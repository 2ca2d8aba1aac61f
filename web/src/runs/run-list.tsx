import { memo, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

import type { BriefRun, RunPage } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { isTyping } from '../parts/keys.ts';
import { useWindowRows } from '../parts/use-window-rows.ts';
import { rowMark } from './row-mark.ts';
import { RunRow } from './run-row.tsx';

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
