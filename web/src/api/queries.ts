import { queryOptions } from '@tanstack/react-query';

import { callService } from './call-service.ts';
import type {
  FolderListing,
  Health,
  Operation,
  PackageList,
  Run,
  RunPage,
  ScriptDetail,
  ScriptList,
  Stats,
} from './wire.ts';

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

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }) => callService<Run>(`/api/runs/${encodeURIComponent(id)}`, { signal }),
  });

export const packagesQuery = queryOptions({
  queryKey: ['packages'],
  queryFn: ({ signal }) => callService<PackageList>('/api/packages', { signal }),
});

/** What is being done with a package. */
export const operationQuery = (id: string) =>
  queryOptions({
    queryKey: ['operation', id],
    queryFn: ({ signal }) =>
      callService<Operation>(`/api/packages/operations/${encodeURIComponent(id)}`, { signal }),
  });

/** A folder of the machine that Hob runs on; null: the home of its user. Others change it: it is never kept. */
export const folderQuery = (path: string | null) =>
  queryOptions({
    queryKey: ['files', path],
    queryFn: ({ signal }) => callService<FolderListing>(`/api/files?${searchOf({ path })}`, { signal }),
    staleTime: 0,
    gcTime: 0,
  });

function searchOf(fields: Record<string, string | null>): string {
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== null);
  return new URLSearchParams(given).toString();
}
