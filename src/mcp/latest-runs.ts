import type { HistoryStore } from '../runs/history/history-store.ts';
import type { BriefRun } from '../runs/run-record.ts';

interface Wanted {
  readonly isAll: boolean;
  readonly isWanted: (run: BriefRun) => boolean;
  readonly limit: number;
}

const pageSize = 100;
/** An agent that looks further back can ask its user. */
const mostPages = 50;

/** The latest runs that are wanted, the newest first: of all runs, or of those that agents started. */
export async function latestRuns(
  history: Pick<HistoryStore, 'page'>,
  { isAll, isWanted, limit }: Wanted,
  signal: AbortSignal,
): Promise<BriefRun[]> {
  const found: BriefRun[] = [];
  let after: Parameters<HistoryStore['page']>[0]['after'] = null;
  for (let page = 0; page < mostPages && found.length < limit; page++) {
    const query = { ...everyRun, origins: isAll ? null : (['mcp'] as const), after, limit: pageSize };
    const { runs, next } = await history.page(query, signal);
    found.push(...runs.filter(isWanted));
    if (next === null) break;
    after = next;
  }
  return found.slice(0, limit);
}

const everyRun = {
  scriptId: null,
  parentRunId: null,
  triggerId: null,
  states: null,
  endCauses: null,
  since: null,
  until: null,
  text: null,
} as const;
