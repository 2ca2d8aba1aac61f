import { queryOptions } from '@tanstack/react-query';

import { callService, openAnswer } from '../api/call-service.ts';
import { parseExactly } from '../api/exact-json.ts';
import { serviceNow } from '../api/service-clock.ts';
import type { Run } from '../api/wire.ts';
import type { RunTree } from './tree-nodes.ts';

/** The answers about one run are kept below this name: its own events say when they are out of date, and nobody else's. */
export const runPageKey = 'run-page';

/** While a run is being deleted, its page asks for nothing: it would show, for a moment, that there is no such run. */
export const deletionKey = (id: string) => ['delete-run', id];

export interface RunRecord {
  readonly run: Run;
  /** Of the whole record, as it was sent. */
  readonly sizeBytes: number;
}

const pathOf = (id: string) => `/api/runs/${encodeURIComponent(id)}`;
const countedAgainMs = 1000;
const countedWithinMs = 15_000;

export const recordQuery = (id: string) =>
  queryOptions({
    queryKey: [runPageKey, id, 'record'],
    queryFn: async ({ signal }): Promise<RunRecord> => {
      const answer = await openAnswer(pathOf(id), { signal });
      const text = await answer.text();
      const run = parseExactly<Run>(text);
      return { run, sizeBytes: text.length };
    },
    // A record may be megabytes: to compare it with the one before takes longer than to show it.
    structuralSharing: false,
    // What a script left running is counted a moment after its end, and no event tells of it.
    refetchInterval: ({ state }) =>
      state.data !== undefined && isToBeCounted(state.data.run) ? countedAgainMs : false,
  });

export const notesQuery = (id: string) =>
  queryOptions({
    queryKey: [runPageKey, id, 'notes'],
    queryFn: async ({ signal }) => (await openAnswer(`${pathOf(id)}/notes`, { signal })).text(),
  });

export const treeQuery = (id: string) =>
  queryOptions({
    queryKey: [runPageKey, id, 'tree'],
    queryFn: ({ signal }) => callService<RunTree>(`${pathOf(id)}/tree`, { signal }),
  });

function isToBeCounted({ ended_at, left_running }: Run): boolean {
  return ended_at !== null && left_running === null && serviceNow() - Date.parse(ended_at) < countedWithinMs;
}
