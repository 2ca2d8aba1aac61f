import { loadFolder } from '../../scripts/load-folder.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import { untilAborted } from '../../shared/until-aborted.ts';
import type { PackageParts } from './needs.ts';
import type { Operation } from './operation.ts';
import { broken, notPrepared } from './refusals.ts';

/** Builds the environment of a script, or throws. */
export async function prepareVersion(
  { prepare }: PackageParts,
  operation: Operation,
  script: Script,
): Promise<void> {
  operation.enter('preparing');
  const { signal } = operation;
  const waiter = { runId: null, signal, onBuild: (runId: string) => operation.isBuiltBy(runId) };
  const prepared = await untilAborted(prepare(script, waiter), signal);
  if (prepared.kind === 'unavailable') throw notPrepared(prepared.message, operation.view().runId);
}

/** Loads the script of an installed version, or throws with all its problems. */
export async function loadVersion(
  { store }: PackageParts,
  operation: Operation,
  id: string,
  name: string,
): Promise<Script> {
  const loaded = await loadFolder(store.versionFolder(id, name));
  if (loaded?.kind === 'script' && loaded.script.id === id) return loaded.script;
  const problems: readonly Problem[] = loaded?.kind === 'broken' ? loaded.problems : [];
  operation.finds(problems);
  throw broken(problems);
}
