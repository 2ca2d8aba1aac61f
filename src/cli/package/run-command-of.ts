import { isJsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { curlLine } from '../curl-line.ts';
import type { ServiceClient } from '../service-client.ts';
import { UserError } from '../user-error.ts';

/** A line that runs a script, to be copied into a shell. */
export async function runCommandOf(client: ServiceClient, scriptId: string): Promise<string> {
  const input = await mainInputOf(client, scriptId);
  const body = { script_id: scriptId, sync: true, ...(input !== null && { data: { [input]: ['...'] } }) };
  return curlLine(client.url, body, client);
}

async function mainInputOf(client: ServiceClient, scriptId: string): Promise<string | null> {
  try {
    const { input } = await client.get(`/api/scripts/${encodeURIComponent(scriptId)}`);
    return isJsonObject(input) ? textOf(input.name) : null;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // It is installed all the same.
    return null;
  }
}
