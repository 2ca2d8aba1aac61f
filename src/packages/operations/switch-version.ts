import { type InstalledRecord, namedIn } from '../store/installed-record.ts';
import type { RecordReading } from '../store/package-store.ts';
import type { PackageParts } from './needs.ts';
import { notTaken, usedElsewhere } from './refusals.ts';

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
export async function versionToKeep(
  { store }: PackageParts,
  { id, current, previous }: InstalledRecord,
  isReady: boolean,
): Promise<string | null> {
  const candidates = isReady ? [current, previous] : [previous];
  for (const name of candidates) if (name !== null && (await store.hasVersion(id, name))) return name;
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
