import type { HistoryTotals } from '../runs/history/history-store.ts';
import type { Database } from './database.ts';

/** Reads the number of runs on record and their disk space. Triggers keep both up to date, so no rows are counted here. */
export function totalsOf(database: Database): () => HistoryTotals {
  const totals = database.prepare('SELECT runs, bytes FROM history');
  return () => {
    const row = totals.get();
    return { runs: Number(row?.runs ?? 0), bytes: Number(row?.bytes ?? 0) };
  };
}
