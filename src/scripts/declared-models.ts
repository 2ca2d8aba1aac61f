import type { ModelNeed, Script } from './script.ts';

/** What scripts say of a repo: where it comes from, and which of its files are needed. */
export interface DeclaredModel {
  readonly source: ModelNeed['source'];
  /** Globs; none: all files. */
  readonly files: readonly string[];
}

/**
 * What all scripts together declare for a repo; null when none does. One that names no files needs all of them. Where they
 * do not agree on the source, the first script by name decides, so that it is the same every time.
 */
export function declaredModel(scripts: readonly Script[], repoId: string): DeclaredModel | null {
  const needs = scripts.flatMap(({ models }) => models.filter((model) => model.repoId === repoId));
  const [first] = needs;
  if (first === undefined) return null;
  const needsAll = needs.some(({ files }) => files.length === 0);
  return { source: first.source, files: needsAll ? [] : [...new Set(needs.flatMap(({ files }) => files))] };
}
