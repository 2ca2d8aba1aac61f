import type { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';
import { objectsIn, textOf } from './download.ts';

export interface ScriptModels {
  readonly name: string;
  /** Each once, in the order of the manifest. */
  readonly here: readonly string[];
  readonly missing: readonly string[];
}

/** The models that a script declares, by its id or its exact name. */
export async function modelsOfScript(client: ServiceClient, wanted: string): Promise<ScriptModels> {
  const id = await findScript(client, wanted);
  const script = await client.get(`/api/scripts/${encodeURIComponent(id)}`);
  const models = objectsIn(script.models).map(({ repo_id, state }) => ({
    repoId: textOf(repo_id) ?? '',
    isHere: state === 'complete',
  }));
  const reposOf = (isHere: boolean) => [
    ...new Set(models.filter((model) => model.isHere === isHere).map(({ repoId }) => repoId)),
  ];
  const missing = reposOf(false);
  return {
    name: printable(textOf(script.name) ?? wanted),
    here: reposOf(true).filter((repoId) => !missing.includes(repoId)),
    missing,
  };
}

async function findScript(client: ServiceClient, wanted: string): Promise<string> {
  const { scripts } = await client.get('/api/scripts');
  const known = objectsIn(scripts).map(({ id, name }) => ({ id: textOf(id) ?? '', name: textOf(name) }));
  const byId = known.find(({ id }) => id.toLowerCase() === wanted.toLowerCase());
  if (byId !== undefined) return byId.id;
  const [only, ...others] = known.filter(({ name }) => name === wanted);
  if (only === undefined)
    throw new UserError(
      `No script has the id or the name "${printable(wanted)}". Names are compared exactly.`,
    );
  if (others.length > 0) {
    const ids = [only, ...others].map(({ id }) => id).join(', ');
    throw new UserError(`Several scripts have the name "${printable(wanted)}". Say which by its id: ${ids}`);
  }
  return only.id;
}
