import { queryOptions } from '@tanstack/react-query';

import { callService } from './call-service.ts';
import type { Health, RunPage, RunTerminal, ScriptDetail, ScriptList, Stats } from './wire.ts';

/** What is asked of the service, by the names under which the answers are kept. `live-events.ts` says when one is out of date. */
export const scriptsQuery = queryOptions({
  queryKey: ['scripts'],
  queryFn: ({ signal }) => callService<ScriptList>('/api/scripts', { signal }),
});

export const scriptQuery = (id: string) =>
  queryOptions({
    queryKey: ['script', id],
    queryFn: ({ signal }) => callService<ScriptDetail>(`/api/scripts/${encodeURIComponent(id)}`, { signal }),
  });

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => callService<Health>('/api/health', { signal }),
});

export const statsQuery = (days: number, scriptId: string | null = null) =>
  queryOptions({
    queryKey: ['stats', days, scriptId],
    queryFn: ({ signal }) =>
      callService<Stats>(`/api/stats?${searchOf({ days: String(days), script: scriptId })}`, { signal }),
  });

/** The latest runs, for what is shown of them beside other things. */
export const latestRunsQuery = (limit: number, scriptId: string | null = null) =>
  queryOptions({
    queryKey: ['runs', 'latest', limit, scriptId],
    queryFn: ({ signal }) =>
      callService<RunPage>(`/api/runs?${searchOf({ limit: String(limit), script: scriptId })}`, { signal }),
  });

export const terminalQuery = (runId: string) =>
  queryOptions({
    queryKey: ['terminal', runId],
    queryFn: ({ signal }) => callService<RunTerminal>(`/api/runs/${runId}/terminal`, { signal }),
  });

function searchOf(fields: Record<string, string | null>): string {
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== null);
  return new URLSearchParams(given).toString();
}
