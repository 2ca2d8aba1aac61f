import type { JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { scriptsIn } from '../pick-script.ts';
import { findScript } from '../run/script-shape.ts';
import { ServiceClient } from '../service-client.ts';
import type { Candidate } from './candidate.ts';

/** Somebody waits at a shell: what takes longer is left out. */
const patienceMs = 1500;

/** What a running service knows that can be named on a command line, by the name that arguments have for it. */
const sources: Readonly<
  Record<string, { path: string; read(answer: JsonObject, typed: string): Candidate[] }>
> = {
  script: { path: '/api/scripts', read: scripts },
  run: { path: '/api/runs?limit=30', read: lastAndRuns },
  // What has ended cannot be stopped.
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

/** Whether only a running service can tell what an argument of this name may be. */
export function isAskedFor(name: string): boolean {
  return (otherNames[name] ?? name) in sources;
}

/** What it may be. Without a service, and when it does not answer soon, that is not known: a shell is no place for complaints. */
export async function knownValues(
  name: string,
  typed: string,
  home: string | undefined,
): Promise<Candidate[]> {
  const source = sources[otherNames[name] ?? name];
  if (source === undefined) return [];
  const asking = ServiceClient.find(home).then((client) => client.get(source.path));
  const answer = await Promise.race([asking.catch(() => null), afterPatience()]);
  return answer === null ? [] : source.read(answer, typed);
}

/** By their names; by their ids for one who has begun to type an id. */
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

/** The params of a script, as they are written behind -p; of one that is being typed, the values that it may have. */
export async function knownParams(
  script: string,
  typed: string,
  home: string | undefined,
): Promise<Candidate[]> {
  const asking = ServiceClient.find(home).then((client) => findScript(client, script));
  const found = await Promise.race([asking.catch(() => null), afterPatience()]);
  const params = found?.script.params ?? [];
  const [, name] = /^([^=]+)=/.exec(typed) ?? [];
  const begun = params.find((param) => param.name === name);
  if (begun === undefined)
    return params.map((param) => ({ value: `${param.name}=`, meaning: param.description ?? param.label }));
  const values = begun.type === 'bool' ? ['true', 'false'] : begun.choices;
  return values.map((value) => ({ value: `${begun.name}=${value}`, meaning: '' }));
}

function afterPatience(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), patienceMs).unref());
}
