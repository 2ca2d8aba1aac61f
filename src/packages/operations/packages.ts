import type { Script } from '../../scripts/script.ts';
import { Feed } from '../../shared/feed.ts';
import { makePrivateFolder } from '../../shared/private-files.ts';
import type { parseSource } from '../fetch/parse-source.ts';
import type { PackageSource } from '../package-source.ts';
import { type InstalledRecord, versionOf } from '../store/installed-record.ts';
import { PackageStore, type RecordReading } from '../store/package-store.ts';
import { bringPackage, loadVersion, prepareVersion, recordOf, switchVersion } from './bring-package.ts';
import { type InstalledPackage, listInstalled, listKept } from './list-installed.ts';
import {
  type Operation,
  OperationList,
  type OperationView,
  type PackageParts,
  type Plan,
} from './operation.ts';
import {
  busy,
  installedAlready,
  noPrevious,
  notInstalled,
  otherScript,
  refusalOf,
  sourceNotKnown,
  stopping,
  unknownScript,
  usedElsewhere,
} from './refusals.ts';

/** Exclusive claims on packages. Cleanup yields to all other operations, which wait only until it has stopped. */
export class Claims {
  readonly #taken = new Set<string>();
  readonly #cleaning = new Map<string, Promise<void>>();

  /** Throws if another operation owns the package. Returns the function that releases it. */
  take(id: string): () => void {
    if (this.#taken.has(id)) throw busy(id);
    this.#taken.add(id);
    let isBack = false;
    return () => {
      if (!isBack) this.#taken.delete(id);
      isBack = true;
    };
  }

  /** Resolves when no cleanup is running; none starts while the package is claimed. */
  async settled(id: string): Promise<void> {
    await this.#cleaning.get(id);
  }

  /** Cleans up, unless an operation owns the package. */
  async clean(id: string, work: () => Promise<void>): Promise<void> {
    if (this.#taken.has(id) || this.#cleaning.has(id)) return;
    const cleaning = work();
    this.#cleaning.set(
      id,
      cleaning.catch(() => {}),
    );
    try {
      await cleaning;
    } finally {
      this.#cleaning.delete(id);
    }
  }
}

export interface PackagesOptions extends Omit<PackageParts, 'store'> {
  readonly folder: string;
  readonly parseSource: typeof parseSource;
}

/** Operations on packages. Each script has at most one at a time, and none takes effect partly. */
export class Packages {
  readonly progress: Feed<OperationView>;
  /** Publishes the id of each uninstalled script. An update publishes nothing. */
  readonly uninstalled = new Feed<string>();
  readonly #parts: PackageParts;
  readonly #parseSource: typeof parseSource;
  readonly #operations: OperationList;
  readonly #claims = new Claims();
  readonly #left = new Set<string>();
  /** Packages with outdated versions that a run still uses. `sweep` removes them after the run. */
  readonly left: ReadonlySet<string> = this.#left;
  #swept: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ folder, parseSource, ...parts }: PackagesOptions) {
    this.#parts = { ...parts, store: new PackageStore(folder) };
    this.#parseSource = parseSource;
    this.#operations = new OperationList(parts);
    this.progress = this.#operations.progress;
  }

  /** Removes the remains of a killed service. */
  async start(): Promise<void> {
    const { store, log } = this.#parts;
    await makePrivateFolder(store.folder, { existing: true });
    try {
      await store.sweepStaging();
      for (const id of await store.ids()) await this.#claims.clean(id, () => this.#tidy(id));
    } catch (error) {
      log.warn({ err: error }, 'cannot remove the remains of interrupted package operations');
    }
  }

  /** Removes versions whose runs have ended. */
  sweep(): Promise<void> {
    if (this.#left.size > 0) this.#swept = this.#swept.then(() => this.#sweepLeft());
    return this.#swept;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#operations.close();
    await this.#swept;
  }

  /** Parses the source in a request. Relative paths are refused, because the folder of the caller is unknown. */
  parseSource(text: string, { ref, path }: { ref: string | null; path: string | null }): PackageSource {
    return this.#parseSource(text, { ...(ref !== null && { ref }), ...(path !== null && { path }) });
  }

  async sourceOf(id: string): Promise<PackageSource> {
    return recordedSource(id.toLowerCase(), await this.#readInstalled(id.toLowerCase()));
  }

  async install({ source, prepare }: { source: PackageSource; prepare: boolean }): Promise<OperationView> {
    const admit = async (script: Script, plan: Plan): Promise<RecordReading> => {
      const { store, catalogue } = this.#parts;
      plan.releases.push(this.#claims.take(script.id));
      await this.#claims.settled(script.id);
      const reading = await store.read(script.id);
      if (reading.kind !== 'missing') throw installedAlready(script);
      if (catalogue.isForeign(script.id)) throw usedElsewhere(script.id, catalogue.find(script.id));
      return reading;
    };
    const plan: Plan = {
      kind: 'install',
      stage: 'fetching',
      script: null,
      source,
      releases: [],
      work: (operation) =>
        bringPackage(this.#parts, operation, {
          source,
          prepares: prepare,
          admit: (script) => admit(script, plan),
        }),
    };
    return this.#begin(plan);
  }

  update(
    given: string,
    { source, prepare }: { source?: PackageSource; prepare: boolean },
  ): Promise<OperationView> {
    return this.#onInstalled(given, async (id, before) => {
      const wanted = source ?? recordedSource(id, before);
      const work = async (operation: Operation) => {
        const admit = async (script: Script) => {
          if (script.id !== id) throw otherScript(id, script);
          return before;
        };
        await bringPackage(this.#parts, operation, { source: wanted, prepares: prepare, admit });
        await this.#tidy(id);
      };
      const script = { id, name: this.#nameOf(id), version: null };
      return { kind: 'update', stage: 'fetching', script, source: wanted, work };
    });
  }

  rollback(given: string): Promise<OperationView> {
    return this.#onInstalled(given, async (id, before) => {
      if (before.kind !== 'record') throw noPrevious({ isDamaged: true });
      const { record } = before;
      const { previous } = record;
      if (previous === null || !(await this.#parts.store.hasVersion(id, previous)))
        throw noPrevious({ isDamaged: false });
      const { version, source } = versionOf(record, previous);
      const work = async (operation: Operation) => {
        await rollBack(this.#parts, operation, { record, previous, before });
        await this.#tidy(id);
      };
      return {
        kind: 'rollback',
        stage: 'preparing',
        script: { id, name: this.#nameOf(id), version },
        source,
        work,
      };
    });
  }

  /** Prepares any script, installed or not. */
  async prepareScript(given: string): Promise<OperationView> {
    const script = this.#parts.catalogue.find(given);
    if (script === null) throw unknownScript(given);
    const release = this.#claims.take(script.id);
    return this.#begin({
      kind: 'prepare',
      stage: 'preparing',
      script,
      source: null,
      releases: [release],
      work: (operation) => prepareVersion(this.#parts, operation, script),
    });
  }

  /** Takes effect immediately. Files in use are removed when their runs end. */
  async uninstall(given: string): Promise<{ scriptId: string; name: string; keptForRuns: boolean }> {
    if (this.#isClosed) throw stopping();
    const { store, catalogue } = this.#parts;
    const id = given.toLowerCase();
    const release = this.#claims.take(id);
    try {
      await this.#claims.settled(id);
      await this.#readInstalled(id);
      const name = this.#nameOf(id);
      await store.forget(id);
      // Before the next installation can begin.
      this.uninstalled.publish(id);
      await catalogue.refresh([store.folderOf(id)]);
      await this.#tidy(id);
      return { scriptId: id, name, keptForRuns: this.#left.has(id) };
    } catch (error) {
      throw refusalOf(error) ?? error;
    } finally {
      release();
    }
  }

  installed(): Promise<InstalledPackage[]> {
    return listInstalled(this.#parts.store, this.#parts.catalogue);
  }

  /** The scripts of versions that a rollback can activate. */
  keptScripts(): Promise<Script[]> {
    return listKept(this.#parts.store);
  }

  list(): OperationView[] {
    return this.#operations.list().map((operation) => operation.view());
  }

  find(id: string): OperationView | null {
    return this.#operations.find(id)?.view() ?? null;
  }

  /** Returns whether the operation could be stopped. */
  cancel(id: string): boolean {
    return this.#operations.find(id)?.cancel() ?? false;
  }

  /** Starts an operation on an installed package after it has claimed it. */
  async #onInstalled(
    given: string,
    plan: (id: string, reading: RecordReading) => Promise<Omit<Plan, 'releases'>>,
  ): Promise<OperationView> {
    const id = given.toLowerCase();
    const release = this.#claims.take(id);
    try {
      await this.#claims.settled(id);
      return this.#begin({ ...(await plan(id, await this.#readInstalled(id))), releases: [release] });
    } catch (error) {
      release();
      throw refusalOf(error) ?? error;
    }
  }

  #begin(plan: Plan): OperationView {
    try {
      if (this.#isClosed) throw stopping();
      return this.#operations.begin(plan);
    } catch (error) {
      for (const release of plan.releases) release();
      throw error;
    }
  }

  async #readInstalled(id: string): Promise<RecordReading> {
    const reading = await this.#parts.store.read(id);
    if (reading.kind === 'missing') throw notInstalled(id);
    return reading;
  }

  #nameOf(id: string): string {
    return this.#parts.catalogue.find(id)?.name ?? id;
  }

  async #sweepLeft(): Promise<void> {
    for (const id of [...this.#left]) await this.#claims.clean(id, () => this.#tidy(id));
  }

  /** Removes versions that are neither current nor in use. Failures are retried on the next sweep. */
  async #tidy(id: string): Promise<void> {
    const { store, isInUse, log } = this.#parts;
    try {
      const isLeft = await store.sweep(id, (folder) => isInUse(id, folder));
      if (isLeft) this.#left.add(id);
      else this.#left.delete(id);
    } catch (error) {
      this.#left.add(id);
      log.warn({ err: error, script_id: id }, 'cannot remove old versions of a package');
    }
  }
}

function recordedSource(id: string, reading: RecordReading): PackageSource {
  if (reading.kind !== 'record') throw sourceNotKnown(id);
  return versionOf(reading.record, reading.record.current).source;
}

/** Activates the previous version and keeps the current one, so that a second rollback restores it. */
async function rollBack(
  parts: PackageParts,
  operation: Operation,
  { record, previous, before }: { record: InstalledRecord; previous: string; before: RecordReading },
): Promise<void> {
  const { id, current, versions } = record;
  const script = await loadVersion(parts, operation, id, previous);
  operation.knows(script);
  await prepareVersion(parts, operation, script);
  operation.signal.throwIfAborted();
  operation.enter('switching');
  const kept = (await parts.store.hasVersion(id, current)) ? current : null;
  await switchVersion(parts, { record: recordOf(id, previous, kept, versions), before });
}
