import type { BriefRun, RunPage } from '../api/wire.ts';

type Fits = (run: BriefRun) => boolean;

/**
 * The pages of a list after something has happened to some runs, without asking for any of them again: a list may be long, and runs come in
 * floods. What has not changed is the very same object as before, so that nobody draws it anew.
 */
export function withRuns(pages: readonly RunPage[], news: readonly BriefRun[], fits: Fits): RunPage[] {
  // Of one run only the latest news counts.
  const latest = new Map(news.map((run) => [run.run_id, run]));
  const changed = pages.map((page) => withChanges(page, latest, fits));
  const known = new Set(pages.flatMap(({ items }) => items.map(({ run_id }) => run_id)));
  for (const run of latest.values()) if (!known.has(run.run_id) && fits(run)) insert(changed, run);
  return changed;
}

/**
 * The pages of a long list with what its first page is now; null where so much has come since that there may be more between the two. What is
 * further down is left as it was: it seldom changes, and to ask for all of it again takes long.
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
  // What would be among them and is not is gone.
  const left = pages.map((page) => ({
    ...page,
    items: page.items.filter(({ run_id, queued_at }) => queued_at <= oldest || now.has(run_id)),
  }));
  return withRuns(left, items, fits);
}

/** What is told of runs that are on a page already. */
export function withChanges(page: RunPage, latest: ReadonlyMap<string, BriefRun>, fits: Fits): RunPage {
  if (!page.items.some(({ run_id }) => latest.has(run_id))) return page;
  const items = page.items.flatMap((run) => {
    const now = latest.get(run.run_id);
    if (now === undefined || stepOf(now) < stepOf(run)) return [run];
    return fits(now) ? [now] : [];
  });
  return { ...page, items };
}

/** A run only goes forward: what is told may be older than what was asked for meanwhile. */
function stepOf({ started_at, ended_at }: BriefRun): number {
  if (ended_at !== null) return 2;
  return started_at === null ? 0 : 1;
}

/** Puts it where its time is. What is older than all that was asked for so far comes when that is asked for. */
function insert(pages: RunPage[], run: BriefRun): void {
  for (const [index, page] of pages.entries()) {
    const at = page.items.findIndex(({ queued_at }) => queued_at <= run.queued_at);
    const isEnd = at < 0 && index === pages.length - 1 && page.next === null;
    if (at < 0 && !isEnd) continue;
    pages[index] = { ...page, items: page.items.toSpliced(at < 0 ? page.items.length : at, 0, run) };
    return;
  }
}
