import type { HistoryTotals } from '../runs/history/history-store.ts';
import type { Database } from './database.ts';

/** Reads how many runs are on record, and what they take. It is kept up to date by triggers, so nothing is counted here. */
export function totalsOf(database: Database): () => HistoryTotals {
  const totals = database.prepare('SELECT runs, bytes FROM history');
  return () => {
    const row = totals.get();
    return { runs: Number(row?.runs ?? 0), bytes: Number(row?.bytes ?? 0) };
  };
}
