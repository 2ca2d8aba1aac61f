import type { BriefRun, RunPage } from '../api/wire.ts';

type Fits = (run: BriefRun) => boolean;

/**
 * Merges new run records into the loaded pages without refetching them, because lists can be long and runs frequent. Unchanged pages and
 * runs keep their identity, so that they are not rendered again.
 */
export function withRuns(pages: readonly RunPage[], news: readonly BriefRun[], fits: Fits): RunPage[] {
  // Only the latest record of each run counts.
  const latest = new Map(news.map((run) => [run.run_id, run]));
  const changed = pages.map((page) => withChanges(page, latest, fits));
  const known = new Set(pages.flatMap(({ items }) => items.map(({ run_id }) => run_id)));
  for (const run of latest.values()) if (!known.has(run.run_id) && fits(run)) insert(changed, run);
  return changed;
}

/**
 * Merges a new first page into a long list; null if they do not overlap, because runs between them may be missing. Later pages stay as they
 * are: they rarely change, and refetching them is slow.
 */
export function withFirstPage(
  pages: readonly RunPage[],
  { items }: RunPage,
  fits: Fits,
): readonly RunPage[] | null {
  const known = new Set(pages.flatMap((page) => page.items.map(({ run_id }) => run_id)));
  if (!items.some(({ run_id }) => known.has(run_id))) return null;
  const now = new Set(items.map(({ run_id }) => run_id));
  const oldest = items.at(-1)?.queued_at ?? '';
  // A run within the time range of the new page that is not on it was deleted.
  const left = pages.map((page) => ({
    ...page,
    items: page.items.filter(({ run_id, queued_at }) => queued_at <= oldest || now.has(run_id)),
  }));
  return withRuns(left, items, fits);
}

/** Updates the runs of a page. */
export function withChanges(page: RunPage, latest: ReadonlyMap<string, BriefRun>, fits: Fits): RunPage {
  if (!page.items.some(({ run_id }) => latest.has(run_id))) return page;
  const items = page.items.flatMap((run) => {
    const now = latest.get(run.run_id);
    if (now === undefined || stepOf(now) < stepOf(run)) return [run];
    return fits(now) ? [now] : [];
  });
  return { ...page, items };
}

/** The stage of a run, which only increases. An event may be older than a fetched record. */
function stepOf({ started_at, ended_at }: BriefRun): number {
  if (ended_at !== null) return 2;
  return started_at === null ? 0 : 1;
}

/** Inserts a run by time. A run older than all loaded pages is left for the next page. */
function insert(pages: RunPage[], run: BriefRun): void {
  for (const [index, page] of pages.entries()) {
    const at = page.items.findIndex(({ queued_at }) => queued_at <= run.queued_at);
    const isEnd = at < 0 && index === pages.length - 1 && page.next === null;
    if (at < 0 && !isEnd) continue;
    pages[index] = { ...page, items: page.items.toSpliced(at < 0 ? page.items.length : at, 0, run) };
    return;
  }
}
