import { objectsIn, textOf } from '../answer-fields.ts';
import { pickScript, scriptsIn } from '../pick-script.ts';
import type { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text-width.ts';

export interface ScriptModels {
  readonly name: string;
  /** Without duplicates, in the order of the manifest. */
  readonly here: readonly string[];
  readonly missing: readonly string[];
}

/** The models that a script declares, by its id or its exact name. */
export async function modelsOfScript(client: ServiceClient, wanted: string): Promise<ScriptModels> {
  const { scripts } = await client.get('/api/scripts');
  const { id } = pickScript(scriptsIn(scripts), wanted);
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
