import { loadFolder } from '../../scripts/load-folder.ts';
import type { Script } from '../../scripts/script.ts';
import type { PackageSource } from '../package-source.ts';
import { versionOf } from '../store/installed-record.ts';
import type { PackageStore } from '../store/package-store.ts';
import type { PackageCatalogue } from './operation.ts';

/** An installed package. Fields that a damaged record lacks are null. */
export interface InstalledPackage {
  readonly scriptId: string;
  readonly name: string;
  readonly version: string | null;
  readonly description: string | null;
  readonly installedAt: string | null;
  readonly source: PackageSource | null;
  readonly commit: string | null;
  readonly previous: { readonly version: string | null; readonly installedAt: string } | null;
  /** Broken: its record is damaged, or its current version is missing or no longer a script. */
  readonly state: 'ready' | 'broken';
}

export async function listInstalled(
  store: PackageStore,
  catalogue: Pick<PackageCatalogue, 'find'>,
): Promise<InstalledPackage[]> {
  const found: InstalledPackage[] = [];
  for (const id of await store.ids()) {
    const one = await describePackage(store, catalogue, id);
    if (one !== null) found.push(one);
  }
  return found.sort((a, b) => a.name.localeCompare(b.name) || a.scriptId.localeCompare(b.scriptId));
}

export async function listKept(store: PackageStore): Promise<Script[]> {
  const scripts: Script[] = [];
  for (const id of await store.ids()) {
    const reading = await store.read(id);
    if (reading.kind !== 'record' || reading.record.previous === null) continue;
    const script = await store.loadScript(id, reading.record.previous);
    if (script !== null) scripts.push(script);
  }
  return scripts;
}

async function describePackage(
  store: PackageStore,
  catalogue: Pick<PackageCatalogue, 'find'>,
  id: string,
): Promise<InstalledPackage | null> {
  const reading = await store.read(id);
  if (reading.kind === 'missing') return null;
  if (reading.kind === 'damaged') {
    return {
      scriptId: id,
      name: catalogue.find(id)?.name ?? id,
      version: null,
      description: null,
      installedAt: null,
      source: null,
      commit: null,
      previous: null,
      state: 'broken',
    };
  }
  const { current, previous } = reading.record;
  const { version, installed_at: installedAt, source, commit } = versionOf(reading.record, current);
  const loaded = await loadFolder(store.versionFolder(id, current));
  const script = loaded?.kind === 'script' && loaded.script.id === id ? loaded.script : null;
  const isKept = previous !== null && (await store.hasVersion(id, previous));
  const kept = isKept ? versionOf(reading.record, previous) : null;
  return {
    scriptId: id,
    name: script?.name ?? (loaded?.kind === 'broken' ? loaded.name : null) ?? id,
    version,
    description: script?.description ?? null,
    installedAt,
    source,
    commit,
    previous: kept === null ? null : { version: kept.version, installedAt: kept.installed_at },
    state: script === null ? 'broken' : 'ready',
  };
}
