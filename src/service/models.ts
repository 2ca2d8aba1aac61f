import { eventData } from '../http/events/event-data.ts';
import type { Downloads } from '../models/downloads/download.ts';
import { ModelDownloads } from '../models/downloads/model-downloads.ts';
import { ModelLibrary } from '../models/model-library.ts';
import { allPlaces } from '../models/places/all-places.ts';
import { formatRepoId } from '../models/repo-id.ts';
import type { EventLog } from '../runs/ledger.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import { ModelNeeds } from '../scripts/model-needs.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { publishProgress } from './publish-events.ts';

interface ModelParts {
  settings: LoadedSettings;
  /** Hob's own folder of models. */
  folder: string;
  catalogue: Catalogue;
  eventLog: EventLog;
  log: Logger;
  version: string;
}

interface ComposedModels {
  models: ModelLibrary;
  modelNeeds: ModelNeeds;
  downloads: ModelDownloads;
  close(): Promise<void>;
}

/** Builds the model library and the downloads, and connects both with the scripts that need models. */
export function composeModels(parts: ModelParts): ComposedModels {
  const { settings, folder, catalogue, eventLog, log, version } = parts;
  const downloads = new ModelDownloads({
    sources: settings.hubs,
    clock: systemClock,
    log: log.child({ part: 'downloads' }),
    version,
    hashEntry: new URL('../models/downloads/hashing/hash-worker.js', import.meta.url),
  });
  const stopRelay = publishDownloads(downloads, eventLog);
  const modelNeeds = new ModelNeeds(catalogue);
  const models = new ModelLibrary({
    places: allPlaces({ ...settings, models: folder, extra: settings.model_folders }),
    wanted: (repo) => modelNeeds.of(formatRepoId(repo)),
    isDownloading: (repo) => downloads.isDownloading(repo),
  });
  return {
    models,
    modelNeeds,
    downloads,
    async close() {
      await downloads.close();
      stopRelay();
    },
  };
}

/** Publishes the progress of downloads to clients. */
export function publishDownloads(downloads: Pick<Downloads, 'progress'>, eventLog: EventLog): () => void {
  return publishProgress(eventLog, {
    type: 'model.progress',
    feed: downloads.progress,
    encode: eventData.download,
    interrupted: { bytes_per_s: null, seconds_left: null },
  });
}
