import { relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { loadFolder } from '../../scripts/load-folder.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import { untilAborted } from '../../shared/until-aborted.ts';
import type { PackageSource } from '../package-source.ts';
import {
  type InstalledRecord,
  type InstalledVersion,
  namedIn,
  versionOf,
} from '../store/installed-record.ts';
import { hashTree, type RecordReading } from '../store/package-store.ts';
import type { Operation, PackageParts } from './operation.ts';
import { broken, notPrepared, notTaken, placeOf, usedElsewhere } from './refusals.ts';

interface BringOptions {
  readonly source: PackageSource;
  readonly prepares: boolean;
  /** Returns the record of the found script, or refuses it. From then on, the operation owns the package. */
  readonly admit: (script: Script) => Promise<RecordReading>;
}

/** Installs a version of a package completely, or not at all. */
export async function bringPackage(
  parts: PackageParts,
  operation: Operation,
  { source, prepares, admit }: BringOptions,
): Promise<void> {
  const { store } = parts;
  const { signal } = operation;
  const staging = await store.stage();
  try {
    operation.enter('fetching');
    const fetched = await parts.fetch(source, {
      into: staging,
      env: parts.env,
      signal,
      onProgress: (progress) => operation.isAt(progress),
      log: parts.log,
    });
    operation.warn(...fetched.notes);
    signal.throwIfAborted();
    operation.enter('checking');
    const script = await checkPackage(parts, operation, fetched.folder);
    const before = await admit(script);
    const version: InstalledVersion = {
      version: script.version,
      installed_at: parts.clock.now().toISOString(),
      source,
      commit: fetched.commit,
      content: await hashTree(fetched.folder, signal),
    };
    if (await isUpToDate(parts, before, version)) {
      operation.warn({ en: `${script.name} is already up to date`, zh: `${script.name} 已是最新版本` });
      await noteSource(parts, before, version);
      return;
    }
    const name = await store.place(script.id, fetched.folder, signal);
    try {
      const placed = await loadVersion(parts, operation, script.id, name);
      if (prepares) await prepareVersion(parts, operation, placed);
      signal.throwIfAborted();
      operation.enter('switching');
      const kept = before.kind === 'record' ? await versionToKeep(parts, before.record) : null;
      const versions = before.kind === 'record' ? before.record.versions : {};
      const record = recordOf(script.id, name, kept, { ...versions, [name]: version });
      await switchVersion(parts, { record, before });
    } catch (error) {
      await tidily(parts, operation, () => store.discard(script.id, name));
      throw error;
    }
  } finally {
    await tidily(parts, operation, () => store.unstage(staging));
  }
}

async function checkPackage(
  { check, catalogue }: PackageParts,
  operation: Operation,
  folder: string,
): Promise<Script> {
  const { script, problems: found } = await check(folder, { findScript: (id) => catalogue.find(id) });
  const problems = found.map((problem) => ({ ...problem, file: insideOf(folder, problem.file) }));
  operation.finds(problems);
  if (script === null || problems.some(({ severity }) => severity === 'error')) throw broken(problems);
  operation.knows(script);
  for (const problem of problems) {
    const { en, zh } = problem.message;
    operation.warn({ en: `${placeOf(problem)}: ${en}`, zh: `${placeOf(problem)}：${zh}` });
  }
  return script;
}

/** The path inside the package, because the path of the staging folder is meaningless to users. */
function insideOf(folder: string, file: string): string {
  if (file === folder) return '.';
  return file.startsWith(folder + sep) ? relative(folder, file).replaceAll(sep, '/') : file;
}

async function isUpToDate(
  parts: PackageParts,
  before: RecordReading,
  version: InstalledVersion,
): Promise<boolean> {
  if (before.kind !== 'record') return false;
  const { commit, content, source } = versionOf(before.record, before.record.current);
  const isSameCommit = commit !== null && commit === version.commit && source.path === version.source.path;
  if (!isSameCommit && (!content || content !== version.content)) return false;
  return isUsable(parts, before.record);
}

/** Whether the current version is unchanged: a damaged one must be replaced. */
async function isUsable({ store }: PackageParts, { id, current }: InstalledRecord): Promise<boolean> {
  return (await store.loadScript(id, current)) !== null;
}

/** The same content from another source: the next update uses that source. */
async function noteSource(
  { store }: PackageParts,
  before: RecordReading,
  version: InstalledVersion,
): Promise<void> {
  if (before.kind !== 'record') return;
  const { record } = before;
  const known = versionOf(record, record.current);
  const { source, commit } = version;
  if (known.commit === commit && isDeepStrictEqual(known.source, source)) return;
  const versions = { ...record.versions, [record.current]: { ...known, source, commit } };
  await store.write({ ...record, versions });
}

/** The next start removes the rest; the original error matters more. */
async function tidily({ log }: PackageParts, { id }: Operation, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    log.warn({ err: error, operation_id: id }, 'cannot remove the remains of a package');
  });
}

/** Builds the environment of a script, or throws. */
export async function prepareVersion(
  { prepare }: PackageParts,
  operation: Operation,
  script: Script,
): Promise<void> {
  operation.enter('preparing');
  const { signal } = operation;
  const waiter = { runId: null, signal, onBuild: (runId: string) => operation.publish({ runId }) };
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

/** Activates another version atomically. If the catalogue rejects it, the previous state is restored. */
export async function switchVersion(
  parts: PackageParts,
  { record, before }: { record: InstalledRecord; before: RecordReading },
): Promise<void> {
  const { store, catalogue } = parts;
  const { id, current } = record;
  const changed = [store.folderOf(id)];
  await store.write(record);
  try {
    await catalogue.refresh(changed);
    const taken = catalogue.find(id);
    const isOurs = taken?.folder === store.versionFolder(id, current);
    if (catalogue.isForeign(id)) throw usedElsewhere(id, isOurs ? null : taken);
    if (!isOurs) throw notTaken();
  } catch (error) {
    await store.restore(id, before);
    await catalogue.refresh(changed);
    throw error;
  }
}

/** The version for a later rollback: the current one, if it still exists. */
async function versionToKeep(parts: PackageParts, record: InstalledRecord): Promise<string | null> {
  const { id, current, previous } = record;
  const candidates = (await isUsable(parts, record)) ? [current, previous] : [previous];
  for (const name of candidates) if (name !== null && (await parts.store.hasVersion(id, name))) return name;
  return null;
}

/** A record with only these versions. */
export function recordOf(
  id: string,
  current: string,
  previous: string | null,
  versions: InstalledRecord['versions'],
): InstalledRecord {
  const named = namedIn({ current, previous });
  const kept = Object.entries(versions).filter(([name]) => named.includes(name));
  return { id, current, previous, versions: Object.fromEntries(kept) };
}
