import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { language, tr } from '../language.ts';
import { UserError } from '../user-error.ts';
import type { ThisRun } from './this-run.ts';

/** Calls Hob in the name of the current run. Without `withinMs` there is no time limit, because a link may take hours. */
export async function callHob(
  { apiBase }: Pick<ThisRun, 'apiBase'>,
  path: string,
  { body, withinMs }: { body?: JsonObject; withinMs?: number } = {},
): Promise<JsonObject> {
  try {
    const answer = await fetch(apiBase + path, {
      headers: { 'accept-language': language, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      ...(withinMs !== undefined && { signal: AbortSignal.timeout(withinMs) }),
    });
    const said: Json = JSON.parse(await answer.text());
    return isJsonObject(said) ? said : {};
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    // Show only the origin: the path contains the run token, and messages are stored.
    const { origin } = new URL(apiBase);
    throw new UserError(
      tr(`No response from Hob at ${origin} (${reason}).`, `Hob 没有响应：${origin}（${reason}）。`),
    );
  }
}
