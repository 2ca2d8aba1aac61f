import { curlLine } from '../curl-line.ts';
import type { ServiceClient } from '../service-client.ts';
import type { ScriptShape } from './script-shape.ts';

/** A curl command that runs a script, with placeholders for the required values. */
export function curlOf(client: ServiceClient, { id, input, params }: ScriptShape): string {
  const required = params.filter((param) => param.isRequired && param.default === undefined);
  const body = {
    script_id: id,
    sync: true,
    ...(input !== null && { data: { [input.name]: ['...'] } }),
    ...(required.length > 0 && { params: Object.fromEntries(required.map(({ name }) => [name, '...'])) }),
  };
  return curlLine(client.url, body, client);
}
