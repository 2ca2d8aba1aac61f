import { queryOptions } from '@tanstack/react-query';
import { parseExactly } from '../api/exact-json.ts';
import { getJson, hob, readLimitMs } from '../api/hob.ts';
import { serviceNow } from '../api/service-clock.ts';
import type { Run, RunAttempts } from '../api/wire.ts';
import type { RunTree } from './tree-nodes.ts';

/** Query key of the data of one run. Only events of that run invalidate it. */
export const runPageKey = 'run-page';

/** Mutation key of a deletion. The page pauses its queries meanwhile, or it would briefly show “Run not found”. */
export const deletionKey = (id: string) => ['delete-run', id];

export interface RunRecord {
  readonly run: Run;
  /** The size of the whole record as JSON. */
  readonly sizeBytes: number;
}

const pathOf = (id: string) => `/api/runs/${encodeURIComponent(id)}`;
const countedAgainMs = 1000;
const countedWithinMs = 15_000;

export const recordQuery = (id: string) =>
  queryOptions({
    queryKey: [runPageKey, id, 'record'],
    queryFn: async ({ signal }): Promise<RunRecord> => {
      const answer = await hob.open('GET', pathOf(id), { signal, limitMs: readLimitMs });
      const text = await answer.text();
      const run = parseExactly<Run>(text);
      return { run, sizeBytes: text.length };
    },
    // A record may have megabytes, and comparing it with the previous one is slower than rendering it.
    structuralSharing: false,
    // Hob counts leftover processes shortly after the end, and no event reports the number.
    refetchInterval: ({ state }) =>
      state.data !== undefined && isToBeCounted(state.data.run) ? countedAgainMs : false,
  });

export const notesQuery = (id: string) =>
  queryOptions({
    queryKey: [runPageKey, id, 'notes'],
    queryFn: async ({ signal }) =>
      (await hob.open('GET', `${pathOf(id)}/notes`, { signal, limitMs: readLimitMs })).text(),
  });

export const treeQuery = (id: string) =>
  queryOptions({
    queryKey: [runPageKey, id, 'tree'],
    queryFn: ({ signal }) => getJson<RunTree>(`${pathOf(id)}/tree`, { signal }),
  });

/** No event reports a later attempt of the series. */
const attemptsAgainMs = 2000;

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: [runPageKey, id, 'attempts'],
    queryFn: ({ signal }) => getJson<RunAttempts>(`${pathOf(id)}/attempts`, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined &&
      data.attempts > 1 &&
      (data.next_attempt_at !== null || data.runs.some(({ ended_at }) => ended_at === null))
        ? attemptsAgainMs
        : false,
  });

function isToBeCounted({ ended_at, left_running }: Run): boolean {
  return ended_at !== null && left_running === null && serviceNow() - Date.parse(ended_at) < countedWithinMs;
}
