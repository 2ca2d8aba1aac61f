import { Environments } from '../environments/environments.ts';
import { checkRecipe } from '../environments/recipe/read-recipe.ts';
import { eventData } from '../http/events/event-data.ts';
import type { ModelLibrary } from '../models/model-library.ts';
import { parseSource } from '../packages/fetch/parse-source.ts';
import { Packages } from '../packages/operations/packages.ts';
import type { EventLog } from '../runs/ledger.ts';
import type { RunServiceOptions } from '../runs/run-request.ts';
import type { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import { noteMissingBinaries } from '../scripts/runtimes/find-binaries.ts';
import { InterpreterFinder } from '../scripts/runtimes/resolve-command.ts';
import { type SurveyedRuntime, surveyRuntimes } from '../scripts/runtimes/survey-runtimes.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { publishProgress } from './publish-events.ts';
import { buildRuns, runResolver } from './resolve-run.ts';

interface PackageParts {
  settings: LoadedSettings;
  folders: { packages: string; environments: string };
  catalogue: Catalogue;
  models: ModelLibrary;
  /** A function, because the dependency is circular: runs wait for environments, and runs build environments. */
  runs: () => RunService;
  store: RunStore;
  eventLog: EventLog;
  log: Logger;
}

interface ComposedPackages {
  packages: Packages;
  environments: Environments;
  resolve: RunServiceOptions['resolveCommand'];
  /** The available runtimes, and the scripts that need them. */
  runtimes: { survey(): Promise<SurveyedRuntime[]> };
  /** Call it after the runs of the previous service are recovered: cleanup must keep the folders that they use. */
  start(): void;
  close(): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Builds the packages and their environments, and connects both with scripts and runs. */
export function composePackages(parts: PackageParts): ComposedPackages {
  const { settings, folders, catalogue, models, runs, store, eventLog, log } = parts;
  const { environment: env } = settings;
  const host = {
    finder: new InterpreterFinder(env, { 'node.js': process.execPath }),
    env,
    platform: process.platform,
  };
  const isInUse = (scriptId: string, folder: string) => runs().isInUse(scriptId, folder);
  const environments = new Environments({
    ...host,
    folder: folders.environments,
    startBuild: buildRuns(runs, store),
    scripts: async () => [...catalogue.scripts(), ...(await packages.keptScripts())],
    isInUse,
    isLive: (runId) => runs().isLive(runId),
    isEnabled: settings.environments,
    unusedMs: settings.environment_days * dayMs,
    clock: systemClock,
    log: log.child({ part: 'environments' }),
  });
  const packages: Packages = new Packages({
    folder: folders.packages,
    catalogue: {
      find: (id) => catalogue.find(id),
      isForeign: (id) => catalogue.isOutside(id, folders.packages),
      refresh: (paths) => catalogue.refresh(paths),
    },
    // Loaded on first use, and many services never use them: loading these modules opens many file handles at once.
    fetch: async (source, options) =>
      (await import('../packages/fetch/fetch-package.ts')).fetchPackage(source, options),
    check: async (folder, options) =>
      (await import('../packages/check/check-folder.ts')).checkFolder(folder, {
        ...options,
        checks: [checkRecipe, (script) => noteMissingBinaries(script, env)],
      }),
    parseSource,
    prepare: (script, waiter) => environments.ensure(script, waiter),
    isInUse,
    env,
    clock: systemClock,
    log: log.child({ part: 'packages' }),
  });
  let starting: Promise<void> | undefined;
  const stopRelay = publishPackages(packages, eventLog);
  return {
    packages,
    environments,
    runtimes: { survey: () => surveyRuntimes(catalogue.scripts(), host) },
    resolve: runResolver({ host, models, environments }),
    start() {
      starting = packages.start();
      environments.start();
    },
    async close() {
      await starting;
      await packages.close();
      await environments.close();
      stopRelay();
    },
  };
}

/** Publishes the progress of package operations to clients. */
export function publishPackages(packages: Pick<Packages, 'progress'>, eventLog: EventLog): () => void {
  return publishProgress(eventLog, {
    type: 'package.progress',
    feed: packages.progress,
    encode: eventData.operation,
    interrupted: { stage: null },
  });
}
