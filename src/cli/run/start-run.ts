import { randomUUID } from 'node:crypto';

import type { JsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { UserError } from '../user-error.ts';
import type { Connection } from './connection.ts';

interface RunRequest {
  readonly scriptId: string;
  /** The main input, keyed by its name; empty if there is none. */
  readonly data: JsonObject;
  readonly params: JsonObject;
  /** Whether this command shows the run itself, so that no window must open. */
  readonly isWatched: boolean;
}

/** Starts a run. The idempotency key makes sure that a repeated request starts it only once. */
export async function startRun(connection: Connection, request: RunRequest): Promise<JsonObject> {
  const { scriptId, data, params, isWatched } = request;
  const body = { script_id: scriptId, ...(Object.keys(data).length > 0 && { data }), params };
  const headers = { 'idempotency-key': randomUUID(), ...watchedHeaders(isWatched) };
  const unknown = tr(
    'To check whether the run was accepted: hob runs',
    '运行是否已被接受，可用 hob runs 查看',
  );
  return connection.ask(unknown, (client) => client.post('/api/execute', body, headers));
}

export function watchedHeaders(isWatched: boolean): Record<string, string> {
  return isWatched ? { 'x-hob-origin': 'cli' } : {};
}

export function runIdIn(answer: JsonObject): string {
  const runId = textOf(answer.run_id);
  if (runId === null)
    throw new UserError(
      tr('Hob returned no run id. To find the run: hob runs', 'Hob 没有返回运行 ID。查找运行：hob runs'),
    );
  return runId;
}
