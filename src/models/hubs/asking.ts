import type { ModelSource } from '../../contract/values.ts';
import type { RepoId } from '../repo-id.ts';
import { parseEndpoint, readToken, refuseOffline } from './access.ts';
import type { HubClient } from './http-client.ts';
import type { HubAccess } from './hub.ts';

export interface HubOptions {
  readonly access: HubAccess;
  readonly client: HubClient;
  readonly pace: number;
}

interface About {
  readonly source: ModelSource;
  readonly repo: RepoId;
  readonly revision: string | null;
  readonly signal: AbortSignal;
  /** The headers with which this hub expects a token. */
  readonly credentialsOf: (token: string) => Readonly<Record<string, string>>;
}

/** Prepares the options of a request to a hub. Reads the token each time, because the user may log in meanwhile. */
export async function prepareAsking(
  { access, client, pace }: HubOptions,
  { source, repo, revision, signal, credentialsOf }: About,
) {
  refuseOffline(access);
  const token = await readToken(access);
  return {
    client,
    pace,
    source,
    repo,
    revision,
    signal,
    endpoint: parseEndpoint(access),
    hasToken: token !== null,
    credentials: token === null ? {} : credentialsOf(token),
  } as const;
}
