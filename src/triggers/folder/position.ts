import { isJsonObject, type Json } from '../../shared/json.ts';
import type { TriggerStore } from '../trigger-store.ts';
import type { Scope } from './scope.ts';

type PositionStore = Pick<TriggerStore, 'position' | 'setPosition'>;

/** The facts about a folder trigger that must survive a restart, besides its files. */
export class FolderPosition {
  readonly #triggerId: string;
  readonly #store: PositionStore;
  /** How often in a row a file changed during its run. Files that did not change are absent. */
  readonly #changes: Map<string, number>;
  #scope: Scope | null;

  constructor(triggerId: string, store: PositionStore) {
    this.#triggerId = triggerId;
    this.#store = store;
    const { scope, changes } = parse(store.position(triggerId));
    this.#scope = scope;
    this.#changes = changes;
  }

  /** The files that the trigger was about when it last looked; null if it never did. */
  get scope(): Scope | null {
    return this.#scope;
  }

  /** Whether the records of the trigger were removed since they were read. */
  get isForgotten(): boolean {
    return this.#scope !== null && this.#store.position(this.#triggerId) === null;
  }

  setScope(scope: Scope): void {
    this.#save(scope);
    this.#scope = scope;
  }

  /** The number of runs in a row during which the file changed. */
  changesOf(path: string): number {
    return this.#changes.get(path) ?? 0;
  }

  noteChange(path: string): void {
    this.#changes.set(path, this.changesOf(path) + 1);
    this.#save(this.#scope);
  }

  /** The file has stayed as it was, or the count was acted on. */
  clearChanges(path: string): void {
    if (this.#changes.delete(path)) this.#save(this.#scope);
  }

  #save(scope: Scope | null): void {
    const changes = Object.fromEntries(this.#changes);
    this.#store.setPosition(this.#triggerId, JSON.stringify({ scope, changes }));
  }
}

function parse(text: string | null): { scope: Scope | null; changes: Map<string, number> } {
  const value: Json = text === null ? null : JSON.parse(text);
  if (!isJsonObject(value) || !isJsonObject(value.scope ?? null)) return { scope: null, changes: new Map() };
  const changes = Object.entries(isJsonObject(value.changes ?? null) ? Object(value.changes) : {});
  return { scope: readScope(value.scope), changes: new Map(changes.map(([path, n]) => [path, Number(n)])) };
}

function readScope(value: Json | undefined): Scope | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const { path, recursive, filters, after } = value;
  if (typeof path !== 'string' || !Array.isArray(filters)) return null;
  return {
    path,
    recursive: recursive === true,
    filters: filters.map(String),
    after: after === 'move' ? 'move' : 'leave',
  };
}
