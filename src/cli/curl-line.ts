import type { JsonObject } from '../shared/json.ts';

/** A curl command that runs a script, to be copied into a shell. */
export function curlLine(url: string, body: JsonObject, { needsToken }: { needsToken: boolean }): string {
  // Names come from manifests: a quote in a name must not end the quoted argument.
  const json = JSON.stringify(body).replaceAll("'", '\\u0027');
  const token = needsToken ? ` -H "$(hob token --header)"` : '';
  return `curl -sS ${url}/api/execute${token} -H 'Content-Type: application/json' -d '${json}'`;
}
