import { expect, it } from 'vitest';

import { queuedRun } from '../../test/support/run-records.ts';
import type { Cursor, RunQuery } from '../runs/history/history-store.ts';
import { latestRuns } from './latest-runs.ts';

/** A history of so many runs, the newest first. Each tenth is of the agent `mine`. */
function historyOf(count: number) {
  const asked: Pick<RunQuery, 'origins' | 'after'>[] = [];
  const all = Array.from({ length: count }, (_, at) =>
    queuedRun({ scriptName: String(at), client: at % 10 === 9 ? 'mine' : 'other' }),
  );
  return {
    asked,
    async page({ origins, after, limit }: RunQuery) {
      asked.push({ origins, after });
      const start = after === null ? 0 : after.seq;
      const next: Cursor | null = start + limit < count ? { queuedAt: '', seq: start + limit } : null;
      return { runs: all.slice(start, start + limit), next };
    },
  };
}

const signal = new AbortController().signal;
const isMine = ({ client }: { client: string | null }) => client === 'mine';

it('finds runs of an agent behind many runs of others', async () => {
  const history = historyOf(1000);
  const found = await latestRuns(history, { isAll: false, isWanted: isMine, limit: 15 }, signal);
  expect(found.map(({ scriptName }) => scriptName)).toEqual(
    Array.from({ length: 15 }, (_, at) => String(at * 10 + 9)),
  );
  expect(history.asked).toEqual([
    { origins: ['mcp'], after: null },
    { origins: ['mcp'], after: { queuedAt: '', seq: 100 } },
  ]);
});

it('stops at the end of the history', async () => {
  const history = historyOf(30);
  expect(await latestRuns(history, { isAll: true, isWanted: isMine, limit: 100 }, signal)).toHaveLength(3);
  expect(history.asked).toEqual([{ origins: null, after: null }]);
});

it('does not search a long history to its end', async () => {
  const history = historyOf(20_000);
  const found = await latestRuns(history, { isAll: false, isWanted: () => false, limit: 1 }, signal);
  expect(found).toEqual([]);
  expect(history.asked).toHaveLength(50);
});
