import { queryOptions } from '@tanstack/react-query';

import { getJson } from './hob.ts';
import type {
  AgentQuestionList,
  Agents,
  DownloadList,
  EndCause,
  EnvironmentList,
  Health,
  ModelList,
  OperationList,
  OutcomeList,
  OutgoingNotifications,
  PackageList,
  Run,
  RunPage,
  RunState,
  RunTerminal,
  RuntimeList,
  ScriptDetail,
  ScriptList,
  SecretList,
  SettingsInForce,
  Stats,
  Trigger,
  TriggerList,
} from './wire.ts';

/** All queries of the console with their cache keys. `live-events.tsx` invalidates them. */
export const scriptsQuery = queryOptions({
  queryKey: ['scripts'],
  queryFn: ({ signal }) => getJson<ScriptList>('/api/scripts', { signal }),
});

export const scriptQuery = (id: string) =>
  queryOptions({
    queryKey: ['script', id],
    queryFn: ({ signal }) => getJson<ScriptDetail>(`/api/scripts/${encodeURIComponent(id)}`, { signal }),
  });

export const outgoingQuery = queryOptions({
  queryKey: ['outgoing'],
  queryFn: ({ signal }) => getJson<OutgoingNotifications>('/api/notifications/outgoing', { signal }),
});

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => getJson<Health>('/api/health', { signal }),
});

export const statsQuery = (days: number, scriptId: string | null = null) =>
  queryOptions({
    queryKey: ['stats', days, scriptId],
    queryFn: ({ signal }) =>
      getJson<Stats>(`/api/stats?${searchOf({ days: String(days), script: scriptId })}`, { signal }),
  });

/** Selects the runs of a script or of a trigger. */
export interface RunsOf {
  readonly script?: string;
  readonly trigger_id?: string;
}

export const latestRunsQuery = (limit: number, of: RunsOf = {}) =>
  queryOptions({
    queryKey: ['runs', 'latest', limit, of],
    queryFn: ({ signal }) =>
      getJson<RunPage>(`/api/runs?${searchOf({ limit: String(limit), ...of })}`, { signal }),
  });

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => getJson<ModelList>('/api/models', { signal }),
});

export const downloadsQuery = queryOptions({
  queryKey: ['downloads'],
  queryFn: ({ signal }) => getJson<DownloadList>('/api/models/downloads', { signal }),
});

export const environmentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: ({ signal }) => getJson<EnvironmentList>('/api/environments', { signal }),
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => getJson<SettingsInForce>('/api/settings', { signal }),
});

export const runtimesQuery = queryOptions({
  queryKey: ['runtimes'],
  queryFn: ({ signal }) => getJson<RuntimeList>('/api/runtimes', { signal }),
});

/** The OpenAPI document. It does not change while the service runs. */
export const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: ({ signal }) => getJson<unknown>('/api/openapi.json', { signal }),
});

/** The latest runs in one state. A single state is fast to find, however many runs the history has. */
export const runsInStateQuery = (state: RunState, limit: number) =>
  queryOptions({
    queryKey: ['runs', state, limit],
    queryFn: ({ signal }) =>
      getJson<RunPage>(`/api/runs?${searchOf({ state, limit: String(limit) })}`, { signal }),
  });

/** End causes of failures, without runs that a user or a shutdown stopped. */
export const failingCauses = (
  ['exit', 'signal', 'timeout', 'spawn-failed'] satisfies readonly EndCause[]
).join(',');

export const lastFailuresQuery = (limit: number) =>
  queryOptions({
    queryKey: ['runs', 'failures', limit],
    queryFn: ({ signal }) =>
      getJson<RunPage>(
        `/api/runs?${searchOf({ state: 'failed', end_cause: failingCauses, limit: String(limit) })}`,
        { signal },
      ),
  });

/** The outcomes of the latest runs of each script, or of some scripts. */
export const outcomesQuery = (limit: number, scriptIds: readonly string[] | null = null) =>
  queryOptions({
    queryKey: ['outcomes', limit, scriptIds],
    queryFn: ({ signal }) =>
      getJson<OutcomeList>(
        `/api/outcomes?${searchOf({ limit: String(limit), script: scriptIds?.join(',') ?? null })}`,
        { signal },
      ),
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }) => getJson<Run>(`/api/runs/${encodeURIComponent(id)}`, { signal }),
  });

export const packagesQuery = queryOptions({
  queryKey: ['packages'],
  queryFn: ({ signal }) => getJson<PackageList>('/api/packages', { signal }),
});

/** Running and recently finished package operations. */
export const operationsQuery = queryOptions({
  queryKey: ['operations'],
  queryFn: ({ signal }) => getJson<OperationList>('/api/packages/operations', { signal }),
});

export const terminalQuery = (runId: string) =>
  queryOptions({
    queryKey: ['terminal', runId],
    queryFn: ({ signal }) => getJson<RunTerminal>(`/api/runs/${runId}/terminal`, { signal }),
  });

/** No event reports skipped slots, refused deliveries and edits of triggers.toml, so the pages of triggers poll. */
export const triggersAgainMs = 5000;

export const triggersQuery = queryOptions({
  queryKey: ['triggers', 'list'],
  queryFn: ({ signal }) => getJson<TriggerList>('/api/triggers', { signal }),
  refetchInterval: triggersAgainMs,
});

export const triggerQuery = (id: string) =>
  queryOptions({
    queryKey: ['triggers', 'one', id],
    queryFn: ({ signal }) => getJson<Trigger>(`/api/triggers/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: triggersAgainMs,
  });

export const agentsQuery = queryOptions({
  queryKey: ['agents', 'all'],
  queryFn: ({ signal }) => getJson<Agents>('/api/agents', { signal }),
});

/** Without the scripts, because every page shows the open questions. */
export const agentQuestionsQuery = queryOptions({
  queryKey: ['agents', 'questions'],
  queryFn: ({ signal }) => getJson<AgentQuestionList>('/api/agents/questions', { signal }),
});

export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: ({ signal }) => getJson<SecretList>('/api/secrets', { signal }),
  staleTime: 0,
});

function searchOf(fields: Record<string, string | null>): string {
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== null);
  return new URLSearchParams(given).toString();
}
