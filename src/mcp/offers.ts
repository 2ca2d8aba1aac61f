import { isDeepStrictEqual } from 'node:util';

import type { AgentPackages } from '../contract/values.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import type { Script } from '../scripts/script.ts';
import type { Slugs } from '../scripts/slugs.ts';
import { Feed } from '../shared/feed.ts';
import type { AgentChoice, AgentChoiceStore } from './choices.ts';
import { freeName, toolName } from './tool-name.ts';

interface OffersOptions {
  catalogue: Pick<Catalogue, 'version' | 'scripts' | 'find' | 'isPackaged' | 'changed'>;
  slugs: Pick<Slugs, 'update' | 'of'>;
  store: AgentChoiceStore;
  /** Which scripts of installed packages agents may use. */
  packages: AgentPackages;
}

/** A script as agents may or may not use it. */
export interface AgentScript {
  readonly script: Script;
  readonly toolName: string;
  readonly isPackaged: boolean;
  readonly isOffered: boolean;
  /** Whether a call waits until the user has allowed it. */
  readonly isAsked: boolean;
  readonly choice: AgentChoice;
}

interface Listed {
  /** The version of the catalogue. */
  readonly version: number;
  readonly all: readonly AgentScript[];
  readonly offered: readonly AgentScript[];
  readonly byName: ReadonlyMap<string, AgentScript>;
}

/** The scripts that agents may use: the user's own, and those of packages that the user has enabled. */
export class Offers {
  /** Published after a change of the scripts or of the user's choices. */
  readonly changed = new Feed<void>();
  /** Published after a change of the user's choices alone. */
  readonly chosen = new Feed<void>();
  readonly #options: OffersOptions;
  readonly #choices: Map<string, AgentChoice>;
  readonly #unsubscribe: () => void;
  #listed: Listed | null = null;

  constructor(options: OffersOptions) {
    this.#options = options;
    this.#choices = new Map(options.store.all().map((choice) => [choice.scriptId, choice]));
    this.#unsubscribe = options.catalogue.changed.subscribe(() => this.changed.publish());
  }

  close(): void {
    this.#unsubscribe();
  }

  /** All usable scripts, offered or not, in the order of their names. */
  async all(): Promise<readonly AgentScript[]> {
    return (await this.#list()).all;
  }

  /** The same list until something changes. */
  async offered(): Promise<readonly AgentScript[]> {
    return (await this.#list()).offered;
  }

  /** The offered script whose tool has this name. */
  async find(name: string): Promise<AgentScript | null> {
    const found = (await this.#list()).byName.get(name);
    return found?.isOffered === true ? found : null;
  }

  /** The offered script with this id. */
  async findScript(id: string): Promise<AgentScript | null> {
    return (await this.offered()).find(({ script }) => script.id === id) ?? null;
  }

  /** Whether a script is still offered, with the same manifest and, if it is a package, the same version. */
  isCurrent({ script }: AgentScript): boolean {
    const current = this.#options.catalogue.find(script.id);
    return current !== null && isDeepStrictEqual(current, script) && this.#describe(current).isOffered;
  }

  /** Stores what the user chose for a script. */
  choose(choice: AgentChoice): void {
    const { store } = this.#options;
    store.put(choice);
    this.#choices.set(choice.scriptId, choice);
    this.#listed = null;
    this.changed.publish();
    this.chosen.publish();
  }

  /** Restores the rule for a script that the user uninstalled. */
  forget(scriptId: string): void {
    if (this.#choices.has(scriptId)) this.choose({ scriptId, isOffered: null, isAsked: null });
  }

  choiceOf(scriptId: string): AgentChoice {
    return this.#choices.get(scriptId) ?? { scriptId, isOffered: null, isAsked: null };
  }

  async #list(): Promise<Listed> {
    const { catalogue, slugs } = this.#options;
    await slugs.update();
    const { version } = catalogue;
    if (this.#listed?.version === version) return this.#listed;
    const scripts = catalogue.scripts().map((script) => this.#describe(script));
    const byName = nameTools(scripts);
    const byScript = new Map([...byName.values()].map((one) => [one.script, one]));
    const all = scripts.map(({ script }) => byScript.get(script)).filter((one) => one !== undefined);
    this.#listed = { version, all, offered: all.filter(({ isOffered }) => isOffered), byName };
    return this.#listed;
  }

  #describe(script: Script): AgentScript {
    const { catalogue, slugs } = this.#options;
    const isPackaged = catalogue.isPackaged(script.folder);
    const choice = this.choiceOf(script.id);
    return {
      script,
      toolName: toolName(script, slugs.of(script.id)),
      isPackaged,
      isOffered: choice.isOffered ?? this.#isOfferedByRule(script, isPackaged),
      // The user has read the own scripts. A package that only reads can do no harm by itself.
      isAsked: choice.isAsked ?? (isPackaged && script.mcp.destructive),
      choice,
    };
  }

  #isOfferedByRule({ mcp }: Script, isPackaged: boolean): boolean {
    if (mcp.enabled === false) return false;
    if (!isPackaged) return true;
    const { packages } = this.#options;
    return packages === 'all' || (packages === 'declared' && mcp.enabled === true);
  }
}

/** Gives each script a name of its own. The tools of the user's scripts keep their names when a package is installed. */
function nameTools(scripts: readonly AgentScript[]): Map<string, AgentScript> {
  const byName = new Map<string, AgentScript>();
  for (const isPackaged of [false, true]) {
    const clashing: AgentScript[] = [];
    for (const one of scripts.filter((script) => script.isPackaged === isPackaged)) {
      if (byName.has(one.toolName)) clashing.push(one);
      else byName.set(one.toolName, one);
    }
    for (const one of clashing) {
      const name = freeName(one.toolName, one.script.id, (wanted) => !byName.has(wanted));
      byName.set(name, { ...one, toolName: name });
    }
  }
  return byName;
}
