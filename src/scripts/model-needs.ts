import type { Catalogue } from './catalogue.ts';
import type { ModelNeed } from './script.ts';

/** The files of a repo that all scripts together need. */
export interface RepoNeed {
  readonly repoId: string;
  /** Source in the first script that declares it. */
  readonly source: ModelNeed['source'];
  /** Whether one of the scripts declares no files. */
  readonly isAll: boolean;
  readonly globs: readonly string[];
  readonly scripts: readonly { readonly id: string; readonly name: string }[];
}

/** The models that scripts declare, by repo. Computed once per state of the catalogue, because every model path request needs them. */
export class ModelNeeds {
  readonly #catalogue: Pick<Catalogue, 'scripts' | 'version'>;
  #byRepo: ReadonlyMap<string, RepoNeed> = new Map();
  #version: number | null = null;

  constructor(catalogue: Pick<Catalogue, 'scripts' | 'version'>) {
    this.#catalogue = catalogue;
  }

  of(repoId: string): RepoNeed | null {
    return this.#gathered().get(repoId) ?? null;
  }

  all(): RepoNeed[] {
    return [...this.#gathered().values()];
  }

  #gathered(): ReadonlyMap<string, RepoNeed> {
    const { version } = this.#catalogue;
    if (this.#version !== version) this.#byRepo = this.#gather();
    this.#version = version;
    return this.#byRepo;
  }

  #gather(): ReadonlyMap<string, RepoNeed> {
    const needs = new Map<string, RepoNeed>();
    for (const { id, name, models } of this.#catalogue.scripts()) {
      for (const { source, repoId, files } of models) {
        const known = needs.get(repoId) ?? { repoId, source, isAll: false, globs: [], scripts: [] };
        const isNamed = known.scripts.some((script) => script.id === id);
        needs.set(repoId, {
          ...known,
          isAll: known.isAll || files.length === 0,
          globs: [...new Set([...known.globs, ...files])],
          scripts: isNamed ? known.scripts : [...known.scripts, { id, name }],
        });
      }
    }
    return needs;
  }
}
