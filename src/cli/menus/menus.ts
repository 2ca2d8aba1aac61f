import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { DesktopSession } from '../../settings/desktop-session.ts';
import { runCommand } from '../../shared/run-command.ts';
import { tr } from '../language.ts';
import { examineFile, removeEntryFile, writeEntryFile } from './entry-files.ts';
import { isCurrentKey, refreshKey, unbindKey } from './entry-keys.ts';
import { type MenuPlace, type Placement, placementOf, planFor } from './entry-plan.ts';
import {
  type InstalledEntry,
  type InstalledMenus,
  readInstalledMenus,
  writeInstalledMenus,
} from './installed-menus.ts';
import type { Launch, MenuScript } from './menu-script.ts';
import { isSameAction, ownActions, thunarActions } from './thunar-actions.ts';
import { actionPrefix, actionsFile, readActionsFile, writeActions } from './thunar-file.ts';
import { registryFile, registryKeys, registryRemoval, registryValues } from './windows-registry.ts';

/** The entries that were written, and the problems that prevented others. */
export interface Installation {
  readonly placements: readonly Placement[];
  readonly problems: readonly string[];
}

/**
 * Sets the entries of the given scripts, and removes those of all others. The new state is recorded before the first file is written,
 * so that a later call finds all files even if this one is killed.
 */
export async function setMenus(
  scripts: readonly MenuScript[],
  leftOut: readonly string[],
  place: MenuPlace,
): Promise<Installation> {
  const { launch, session, platform } = place;
  const before = await readInstalledMenus(launch.home);
  const plans = scripts.map((script) => planFor(script, place));
  const thunarFile = actionsFile(session);
  const planned = plans.map(({ script, files, hasThunar }): InstalledEntry => {
    const known = before.entries.find(({ id }) => id === script.id);
    return {
      id: script.id,
      slug: script.slug,
      label: script.label,
      isInMenus: true,
      files: files.map(({ path }) => path),
      thunar: hasThunar ? thunarFile : null,
      registry: platform === 'win32' ? registryKeys(script) : [],
      key: known?.key ?? null,
    };
  });
  const keysOnly = before.entries.flatMap((entry) =>
    entry.key === null || planned.some(({ id }) => id === entry.id) ? [] : [withoutMenus(entry)],
  );
  const after: InstalledMenus = { entries: [...planned, ...keysOnly], leftOut };
  await writeInstalledMenus(launch.home, { entries: joinEntries(before.entries, after.entries), leftOut });

  const problems: (string | null)[] = [];
  /** Paths and registry keys. */
  const failed = new Set<string>();
  for (const file of plans.flatMap(({ files }) => files)) {
    const problem = await writeEntryFile(file, launch);
    problems.push(problem);
    if (problem !== null) failed.add(file.path);
  }
  const wanted = new Set(planned.flatMap(({ files }) => files));
  const left: InstalledEntry[] = [];
  for (const entry of before.entries) {
    const unwanted = entry.files.filter((path) => !wanted.has(path));
    const files = await removeFiles({ ...entry, files: unwanted }, launch, problems);
    if (files.length > 0) left.push({ ...withoutMenus(entry), files });
  }
  const prefix = actionPrefix(launch);
  const thunarFiles = [...before.entries, ...planned].flatMap(({ thunar }) => thunar ?? []);
  for (const file of new Set(thunarFiles)) {
    const own = file === thunarFile ? plans.filter(({ hasThunar }) => hasThunar) : [];
    const actions = own.flatMap(({ script }) => thunarActions(script, launch, prefix));
    const problem = await writeActions(file, prefix, actions, session);
    if (problem === null) continue;
    problems.push(problem);
    failed.add(file);
    const stay = before.entries.filter(({ thunar }) => thunar === file);
    left.push(...stay.map((entry) => ({ ...withoutMenus(entry), thunar: file })));
  }
  if (platform === 'win32') {
    const problem = await writeRegistry(scripts, before, launch);
    problems.push(problem);
    if (problem !== null) for (const key of scripts.flatMap(registryKeys)) failed.add(key);
  }
  const entries: InstalledEntry[] = [];
  for (const entry of after.entries) entries.push(await refreshKey(entry, place, problems));
  await writeInstalledMenus(launch.home, { entries: joinEntries(left, entries), leftOut });
  return {
    placements: plans.map((plan) => placementOf(plan, failed)),
    problems: problems.filter((problem) => problem !== null),
  };
}

/** Removes the files of an entry. Returns those that could not be removed, and adds the problems. */
async function removeFiles(
  { id, files }: InstalledEntry,
  launch: Launch,
  problems: (string | null)[],
): Promise<string[]> {
  const left: string[] = [];
  for (const path of files) {
    const problem = await removeEntryFile(path, launch, id);
    if (problem === null) continue;
    problems.push(problem);
    left.push(path);
  }
  return left;
}

export function withoutMenus(entry: InstalledEntry): InstalledEntry {
  return { ...entry, isInMenus: false, files: [], thunar: null, registry: [] };
}

/** The files of each script in either list. The later list knows the rest. */
function joinEntries(before: readonly InstalledEntry[], after: readonly InstalledEntry[]): InstalledEntry[] {
  const joined = new Map<string, InstalledEntry>();
  for (const entry of [...before, ...after]) {
    const known = joined.get(entry.id);
    joined.set(entry.id, {
      ...entry,
      files: [...new Set([...(known?.files ?? []), ...entry.files])],
      thunar: entry.thunar ?? known?.thunar ?? null,
      registry: [...new Set([...(known?.registry ?? []), ...entry.registry])],
    });
  }
  return [...joined.values()];
}

/** Entries that could not be removed, and the problems that prevented it. */
export interface Removal {
  readonly left: readonly InstalledEntry[];
  readonly problems: readonly string[];
}

/** Removes the entries and the keys of these scripts, of which the service need not know anything. Records what is left. */
export async function removeMenus(
  gone: readonly InstalledEntry[],
  leftOut: readonly string[],
  place: MenuPlace,
): Promise<Removal> {
  const { launch, session, platform } = place;
  const before = await readInstalledMenus(launch.home);
  const ids = new Set(gone.map(({ id }) => id));
  const kept = before.entries.filter(({ id }) => !ids.has(id));
  const problems: (string | null)[] = [];
  const prefix = actionPrefix(launch);
  const broken = new Set<string>();
  for (const file of new Set(gone.flatMap(({ thunar }) => thunar ?? []))) {
    const problem = await keepActions(file, prefix, { kept, session });
    problems.push(problem);
    if (problem !== null) broken.add(file);
  }
  const registry = platform === 'win32' ? await importRegistry(registryRemovalOf(gone), launch) : null;
  problems.push(registry);
  const left: InstalledEntry[] = [];
  for (const entry of gone) {
    const files = await removeFiles(entry, launch, problems);
    const keyProblem = await unbindKey(entry, place);
    problems.push(keyProblem);
    const rest = {
      ...entry,
      isInMenus: false,
      files,
      thunar: entry.thunar !== null && broken.has(entry.thunar) ? entry.thunar : null,
      registry: registry === null ? [] : entry.registry,
      key: keyProblem === null ? null : entry.key,
    };
    if (hasMenus(rest) || rest.key !== null) left.push(rest);
  }
  await writeInstalledMenus(launch.home, { entries: [...kept, ...left], leftOut });
  return { left, problems: problems.filter((problem) => problem !== null) };
}

/** Whether anything of the entry is in menus. */
export function hasMenus({ files, thunar, registry }: InstalledEntry): boolean {
  return files.length > 0 || thunar !== null || registry.length > 0;
}

/** Removes the actions of all scripts but these from the file of Thunar. */
async function keepActions(
  file: string,
  prefix: string,
  { kept, session }: { kept: readonly InstalledEntry[]; session: DesktopSession },
): Promise<string | null> {
  const own = await readActionsFile(file, session)
    .then((text) => ownActions(text, prefix))
    // Writing reports the reason.
    .catch(() => []);
  const actions = own.filter(({ id }) => kept.some((entry) => id.startsWith(`${prefix}${entry.id}-`)));
  return writeActions(file, prefix, actions, session);
}

/** current: as it should be. outdated: the script, its manifest or Hob changed since. missing: a file is gone. */
export type EntryState = 'current' | 'outdated' | 'missing';

/** Compares the entries of a script with what they should be. */
export async function examineEntry(
  entry: InstalledEntry,
  script: MenuScript,
  place: MenuPlace,
): Promise<EntryState> {
  const { launch, session, platform } = place;
  const { files, hasThunar } = planFor(script, place);
  if (!isCurrentKey(entry, launch)) return 'outdated';
  if (platform === 'win32') return isSameSet(entry.registry, registryKeys(script)) ? 'current' : 'outdated';
  const paths = files.map(({ path }) => path);
  if (!isSameSet(entry.files, paths) || (entry.thunar !== null) !== hasThunar) return 'outdated';
  for (const { path, text } of files) {
    const found = await examineFile(path, launch);
    if (found.kind !== 'own' || found.scriptId !== script.id) return 'missing';
    if (found.text !== text) return 'outdated';
  }
  if (entry.thunar === null) return 'current';
  const prefix = actionPrefix(launch);
  const own = await readActionsFile(entry.thunar, session)
    .then((text) => ownActions(text, prefix))
    .catch(() => []);
  for (const { id, text } of thunarActions(script, launch, prefix)) {
    const found = own.find((action) => action.id === id);
    if (found === undefined) return 'missing';
    if (!isSameAction(found.text, text)) return 'outdated';
  }
  return 'current';
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item));
}

function registryRemovalOf(entries: readonly InstalledEntry[]): string {
  return registryRemoval([...new Set(entries.flatMap(({ registry }) => registry))]);
}

async function writeRegistry(
  scripts: readonly MenuScript[],
  before: InstalledMenus,
  launch: Launch,
): Promise<string | null> {
  const removal = await importRegistry(registryRemovalOf(before.entries), launch);
  const values = scripts.flatMap((script) => registryValues(script, launch));
  return removal ?? importRegistry(registryFile(values), launch);
}

/** Only called on Windows. */
async function importRegistry(text: string, { home }: Launch): Promise<string | null> {
  const file = join(home, 'menus.reg');
  await writeFile(file, `\ufeff${text}`, { encoding: 'utf16le', mode: 0o600 });
  const { ok, stderr, failure } = await runCommand('reg', ['import', file]);
  return ok
    ? null
    : tr(
        `Windows did not accept ${file} (${stderr.trim() || failure}).`,
        `Windows 没有接受 ${file}（${stderr.trim() || failure}）。`,
      );
}
