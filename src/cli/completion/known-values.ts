import type { JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { scriptsIn } from '../pick-script.ts';
import { findScript } from '../run/script-shape.ts';
import { ServiceClient } from '../service-client.ts';
import type { Candidate } from './candidate.ts';

/** The user is waiting: slower responses are ignored. */
const timeoutMs = 1500;

/** Where the values of an argument come from, by the name of the argument. */
const sources: Readonly<
  Record<string, { path: string; read(answer: JsonObject, typed: string): Candidate[] }>
> = {
  script: { path: '/api/scripts', read: scripts },
  run: { path: '/api/runs?limit=30', read: lastAndRuns },
  // An ended run cannot be cancelled.
  'running run': { path: '/api/runs?limit=30&state=running,queued', read: runs },
  repo: { path: '/api/models', read: ({ items }) => named(items, 'repo_id') },
  key: { path: '/api/environments', read: ({ items }) => named(items, 'key') },
};
const otherNames: Readonly<Record<string, string>> = {
  scripts: 'script',
  runs: 'run',
  run_id: 'run',
  'run-id': 'run',
};

/** Whether the values of this argument come from the service. */
export function comesFromService(name: string): boolean {
  return (otherNames[name] ?? name) in sources;
}

/** The values of an argument. Empty if the service does not run or respond in time: completion never prints errors. */
export async function knownValues(
  name: string,
  typed: string,
  home: string | undefined,
): Promise<Candidate[]> {
  const source = sources[otherNames[name] ?? name];
  if (source === undefined) return [];
  const asking = ServiceClient.find(home).then((client) => client.get(source.path));
  const answer = await Promise.race([asking.catch(() => null), afterTimeout()]);
  return answer === null ? [] : source.read(answer, typed);
}

/** Offers names, or ids if an id prefix was typed. */
function scripts({ scripts: known }: JsonObject, typed: string): Candidate[] {
  const all = scriptsIn(known);
  const isId = typed !== '' && all.some(({ id }) => id.startsWith(typed));
  return all.map(({ id, name }) => (isId ? { value: id, meaning: name } : { value: name, meaning: id }));
}

function runs({ items }: JsonObject): Candidate[] {
  return objectsIn(items).map((run) => ({
    value: textOf(run.run_id) ?? '',
    meaning: `${textOf(run.script_name) ?? ''}, ${textOf(run.state) ?? ''}`,
  }));
}

function lastAndRuns(answer: JsonObject): Candidate[] {
  return [{ value: 'last', meaning: '' }, ...runs(answer)];
}

function named(items: JsonObject[string] | undefined, key: string): Candidate[] {
  return objectsIn(items).map((item) => ({ value: textOf(item[key]) ?? '', meaning: '' }));
}

/** The params of a script as `name=`, or the possible values of the param that is being typed. */
export async function knownParams(
  script: string,
  typed: string,
  home: string | undefined,
): Promise<Candidate[]> {
  const asking = ServiceClient.find(home).then((client) => findScript(client, script));
  const found = await Promise.race([asking.catch(() => null), afterTimeout()]);
  const params = found?.script.params ?? [];
  const [, name] = /^([^=]+)=/.exec(typed) ?? [];
  const begun = params.find((param) => param.name === name);
  if (begun === undefined)
    return params.map((param) => ({ value: `${param.name}=`, meaning: param.description ?? param.label }));
  const values = begun.type === 'bool' ? ['true', 'false'] : begun.choices;
  return values.map((value) => ({ value: `${begun.name}=${value}`, meaning: '' }));
}

function afterTimeout(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), timeoutMs).unref());
}
