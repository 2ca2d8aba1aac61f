import { randomUUID } from 'node:crypto';

import type { JsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { UserError } from '../user-error.ts';
import type { Connection } from './connection.ts';

interface RunRequest {
  readonly scriptId: string;
  /** The main input by its name; empty for none. */
  readonly data: JsonObject;
  readonly params: JsonObject;
  /** Whether this command shows the run in its own terminal, so that it must not open a window. */
  readonly isWatched: boolean;
}

/** Asks for a run, once, however often the service has to be asked. Returns what it answered. */
export async function startRun(connection: Connection, request: RunRequest): Promise<JsonObject> {
  const { scriptId, data, params, isWatched } = request;
  const body = { script_id: scriptId, ...(Object.keys(data).length > 0 && { data }), params };
  const headers = { 'idempotency-key': randomUUID(), ...watchedHeaders(isWatched) };
  const unknown = tr('To check whether the run was accepted: hob runs', '运行是否已被接受，可用 hob runs 查看');
  return connection.ask(unknown, (client) => client.post('/api/execute', body, headers));
}

export function watchedHeaders(isWatched: boolean): Record<string, string> {
  return isWatched ? { 'x-hob-origin': 'cli' } : {};
}

export function runIdIn(answer: JsonObject): string {
  const runId = textOf(answer.run_id);
  if (runId === null) throw new UserError(tr('Hob returned no run id. To find the run: hob runs', 'Hob 没有返回运行 ID。查找运行：hob runs'));
  return runId;
}
