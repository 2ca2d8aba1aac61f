import { eventData } from './http/events/event-data.ts';
import type { PackageOperations } from './packages/package-operation.ts';
import type { EventLog } from './runs/events/event-log.ts';
import { tellProgress } from './tell-progress.ts';

/** Publishes the progress of package operations to clients. */
export function tellPackages(packages: Pick<PackageOperations, 'progress'>, eventLog: EventLog): () => void {
  return tellProgress(eventLog, {
    type: 'package.progress',
    feed: packages.progress,
    encode: eventData.operation,
    interrupted: { stage: null },
  });
}
