import type { InstalledRecord } from '../store/installed-record.ts';
import type { RecordReading } from '../store/package-store.ts';
import type { PackageParts } from './needs.ts';
import type { Operation } from './operation.ts';
import { loadVersion, prepareVersion } from './prepare-version.ts';
import { recordOf, switchVersion } from './switch-version.ts';

interface RollBackOptions {
  readonly record: InstalledRecord;
  readonly previous: string;
  readonly before: RecordReading;
}

/** Activates the previous version and keeps the current one, so that a second rollback restores it. */
export async function rollBack(
  parts: PackageParts,
  operation: Operation,
  { record, previous, before }: RollBackOptions,
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
