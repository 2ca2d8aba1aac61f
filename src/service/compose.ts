import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ExecutorClient } from '../execution/executor-client.ts';
import type { WarmLimits, WarmState } from '../execution/messages.ts';
import { removeMemoryFolder } from '../execution/parameter-files.ts';
import { openFolder } from '../files/folders.ts';
import { type Listening, listen } from '../http/access/listen.ts';
import { TokenGuard } from '../http/access/token-guard.ts';
import { buildApp } from '../http/app.ts';
import type { ShownSettings } from '../http/dependencies.ts';
import { eventData } from '../http/events/event-data.ts';
import { Metrics } from '../metrics/metrics.ts';
import { addServiceGauges } from '../metrics/service-gauges.ts';
import { BareCallers } from '../runs/callers/bare-callers.ts';
import { traceCaller, userOfCaller } from '../runs/callers/trace-caller.ts';
import { HistoryKeeper } from '../runs/history/history-keeper.ts';
import { RunRemover } from '../runs/history/run-remover.ts';
import { KeyedRuns, recallOutcome } from '../runs/keys/keyed-runs.ts';
import { EventLog, Ledger } from '../runs/ledger.ts';
import { OutcomeReader } from '../runs/outcome/read-outcome.ts';
import { RunOutputs } from '../runs/output/run-outputs.ts';
import { isLiveToken, RunEnds } from '../runs/run.ts';
import type { RunServiceOptions } from '../runs/run-request.ts';
import { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import { RunTerminals } from '../runs/run-terminals.ts';
import { Catalogue } from '../scripts/catalogue.ts';
import { romanizeInThread } from '../scripts/pinyin.ts';
import { Slugs } from '../scripts/slugs.ts';
import { CatalogueReport, watchCatalogue } from '../scripts/watch-catalogue.ts';
import { SecretStore } from '../secrets/secret-store.ts';
import { settingsFile } from '../settings/home.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { settingsInForce } from '../settings/settings-in-force.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { makePrivateFolder } from '../shared/private-files.ts';
import { announceService } from '../shared/service-file.ts';
import { ensureToken } from '../shared/token-file.ts';
import { Checkpointer } from '../storage/checkpointer.ts';
import { Facts, openDatabase } from '../storage/database.ts';
import { importOldEntries } from '../storage/old-entries.ts';
import { SqliteEventStore } from '../storage/sqlite-event-store.ts';
import { SqliteHistoryStore } from '../storage/sqlite-history-store.ts';
import { SqliteKeyStore } from '../storage/sqlite-key-store.ts';
import { SqliteRetentionStore, SqliteRunRemoval } from '../storage/sqlite-retention-store.ts';
import { SqliteRunStore } from '../storage/sqlite-run-store.ts';
import { SqliteSlugStore } from '../storage/sqlite-slug-store.ts';
import { composeMcp } from './mcp.ts';
import { composeModels } from './models.ts';
import { composeNotifications } from './notifications.ts';
import { composePackages } from './packages.ts';
import { publishCatalogue } from './publish-events.ts';
import { builder } from './resolve-run.ts';
import { bodyLimits, historyLimits, runLimits, runWindows } from './runs.ts';
import { composeTriggers } from './triggers.ts';

const megabyte = 1_000_000;

const minuteMs = 60_000;

interface Composed {
  executor: ExecutorClient;
  /** The warm interpreters: their limits and their current state. */
  warm: { readonly limits: WarmLimits; state(): WarmState | null };
}

interface AccessParts {
  settings: LoadedSettings;
  store: RunStore;
  log: Logger;
}

interface ComposeOptions {
  settings: LoadedSettings;
  log: Logger;
  version: string;
  /** Called when a caller asks the service to stop. */
  requestStop: (how: { all: boolean }) => void;
}

export interface Service {
  readonly url: string;
  /** Addresses at which other machines can reach the service, for display. */
  readonly beyond: readonly string[];
  /** Number of runs in progress. */
  readonly running: number;
  /**
   * Safe to call more than once: the first call starts the stop, and any call with `all` also ends every run. Aborting
   * the signal ends all waiting.
   */
  stop(now: AbortSignal, how: { all: boolean }): Promise<void>;
}

/** Builds every object once, starts them in order, and returns a handle that stops them in reverse order. */
export async function startService({
  settings,
  log,
  version,
  requestStop,
}: ComposeOptions): Promise<Service> {
  const { home, token, scripts } = settings;
  const closers: ((now: AbortSignal) => Promise<void> | void)[] = [];
  const closeAll = async (now: AbortSignal) => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      try {
        await close(now);
      } catch (error) {
        // Continue with the other parts: the executor waits for the service to disconnect.
        log.error({ err: error }, 'cannot close a part of the service');
      }
    }
  };
  try {
    const folders = {
      scripts: join(home, 'scripts'),
      runs: join(home, 'runs'),
      models: join(home, 'models'),
      packages: join(home, 'packages'),
      environments: join(home, 'environments'),
    };
    for (const folder of Object.values(folders)) await makePrivateFolder(folder, { existing: true });

    const database = openDatabase(join(home, 'hob.db'), (copy) =>
      log.info({ copy }, 'copied the database before its upgrade'),
    );
    closers.push(() => database.close());
    importOldEntries(database, join(home, 'entries.jsonl'));
    const checkpointer = new Checkpointer({
      entry: new URL('../storage/checkpoint-worker.js', import.meta.url),
      path: join(home, 'hob.db'),
      log: log.child({ part: 'database' }),
    });
    closers.push(() => checkpointer.close());
    const facts = new Facts(database);
    const store = new SqliteRunStore(database);
    const history = new SqliteHistoryStore(database);

    const metrics = new Metrics({ version, log: log.child({ part: 'metrics' }) });
    const eventLog = new EventLog({ store: new SqliteEventStore(database), runs: store, log });
    const keys = new SqliteKeyStore(database);
    const limits = runLimits(settings);
    const { keepKeysMs } = limits;
    const ledger = new Ledger({ store, keys, eventLog, clock: systemClock, keepKeysMs, encode: eventData });

    const { executor, warm } = composeExecutor(settings, version, log);
    closers.push(() => executor.close());
    executor.events.subscribe((event) => metrics.noteExecutor(event));
    // The executor takes as long to start as all other parts together, so both start at the same time.
    const connected = executor.connect();
    connected.catch(() => {});

    const catalogue = new Catalogue([folders.scripts, ...settings.scripts], folders);
    const report = new CatalogueReport(catalogue, log);
    const pinyinEntry = new URL('../scripts/pinyin-worker.js', import.meta.url);
    const slugs = new Slugs({
      catalogue,
      store: new SqliteSlugStore(database),
      romanize: (names) => romanizeInThread(pinyinEntry, names),
      log: log.child({ part: 'scripts' }),
    });
    // Scripts get their slugs in the order in which they arrive, not when someone asks.
    catalogue.changed.subscribe(() => void slugs.update());
    closers.push(() => slugs.update());
    await catalogue.load();

    const {
      models,
      modelNeeds,
      downloads,
      close: closeModels,
    } = composeModels({ settings, folder: folders.models, catalogue, eventLog, log, version });
    closers.push(closeModels);

    const prepared = composePackages({
      settings,
      folders,
      catalogue,
      models,
      runs: () => runs,
      store,
      eventLog,
      log,
    });
    closers.push(() => prepared.close());

    const secrets = new SecretStore({ home, clock: systemClock, log: log.child({ part: 'secrets' }) });
    await secrets.start();
    closers.push(() => secrets.close());

    const outcomes = new OutcomeReader({
      entry: new URL('../runs/outcome/outcome-worker.js', import.meta.url),
      log: log.child({ part: 'outcomes' }),
    });
    let listening: Listening | undefined;
    const address = { url: '' };
    const runOptions: RunServiceOptions = {
      store,
      ledger,
      keys,
      executor,
      clock: systemClock,
      log,
      resolveCommand: prepared.resolve,
      readOutcome: outcomes.read,
      findScript: (id) => (id === builder.id ? builder : catalogue.find(id)),
      resolveScript: (id) => catalogue.resolve(id),
      address,
      runsFolder: folders.runs,
      environment: settings.environment,
      windows: { ...runWindows({ settings, log }), pageSize: () => runTerminals.lastSize },
      limits,
    };
    const runs = new RunService(runOptions);
    runs.events.subscribe(metrics.runs.note);
    addServiceGauges(metrics, {
      runs,
      executor,
      warm,
      scripts: () => report.counts,
      history,
      maxRuns: settings.max_runs,
      maxQueued: settings.max_queued,
    });
    const runEnds = new RunEnds({ events: runs.events, seriesEnds: runs.seriesEnds, store });
    const {
      notifications,
      desktop,
      outgoing,
      close: closeNotifications,
    } = composeNotifications({
      database,
      eventLog,
      seriesEnds: runs.seriesEnds,
      catalogue,
      settings,
      log,
      version,
      listening: () => listening,
    });
    closers.push(closeNotifications);
    const closing = new AbortController();
    const removal = new SqliteRunRemoval(database);
    removal.forgotten.subscribe(({ runIds, events }) => eventLog.forgetRuns(runIds, events));
    const guard = await composeGuard({ settings, store, log });
    closers.push(() => guard?.close());
    const outputs = new RunOutputs({ store, events: runs.events, runsFolder: folders.runs });
    const runTerminals = new RunTerminals({ store, executor, outputs });
    const keyedRuns = new KeyedRuns({
      keys,
      keptSince: () => ledger.keysKeptSince(),
      store,
      ends: runEnds,
      recall: (record) => recallOutcome(record, runOptions),
      lend: (runId, waitingRunId) => runs.lend(runId, waitingRunId),
    });
    const triggers = composeTriggers({
      settings,
      database,
      catalogue,
      slugs,
      runs,
      keyedRuns,
      store,
      notifications,
      secrets,
      log,
    });
    closers.push(() => triggers.close());
    const agents = composeMcp({
      settings,
      database,
      catalogue,
      slugs,
      notifications,
      packages: prepared.packages,
      runs,
      runEnds,
      outputs,
      eventLog,
      history,
      version,
      log,
      closing: closing.signal,
    });
    closers.push(() => agents.close());
    const app = await buildApp({
      catalogue,
      slugs,
      runs,
      eventLog,
      ledger,
      outputs,
      runTerminals,
      keyedRuns,
      triggers: triggers.triggers,
      triggerStore: triggers.triggerStore,
      offers: agents.offers,
      confirmations: agents.confirmations,
      mcp: agents.mcp,
      runEnds,
      runRemover: new RunRemover({ removal, runsFolder: folders.runs, log, closing: closing.signal }),
      runStore: store,
      history,
      clock: systemClock,
      bareCallers: new BareCallers({
        store,
        livePids: () => executor.processes,
        maxRuns: settings.max_runs,
        trace: traceCaller,
      }),
      models,
      modelNeeds,
      downloads,
      packages: prepared.packages,
      environments: prepared.environments,
      runtimes: prepared.runtimes,
      secrets,
      settings: composeSettings(settings, () => listening),
      notifications,
      outgoing,
      desktop,
      openFolder: (path) =>
        openFolder(path, { platform: process.platform, environment: settings.environment }),
      warm,
      executor,
      metrics,
      log,
      version,
      consoleFolder: fileURLToPath(new URL('../web/', import.meta.url)),
      heartbeatMs: settings.heartbeat_s * 1000,
      ...bodyLimits(settings),
      closing: closing.signal,
      guard,
      callerUsers: {
        own: process.platform === 'linux' ? (process.geteuid?.() ?? null) : null,
        find: userOfCaller,
      },
      requestStop,
    });
    closers.push(() => app.close());

    const keeper = new HistoryKeeper({
      store: new SqliteRetentionStore(database),
      removal,
      isKnown: (runId) => store.has(runId),
      settle: () => checkpointer.checkpoint(),
      runsFolder: folders.runs,
      clock: systemClock,
      log: log.child({ part: 'history' }),
      limits: historyLimits(settings),
    });
    closers.push(() => keeper.close());
    runEnds.afterwards.subscribe(() => {
      keeper.wake();
      if (prepared.packages.left.size > 0) void prepared.packages.sweep();
    });
    const runFolders = await readdir(folders.runs);
    await connected;
    listening = await listen({
      app,
      addresses: settings.listen,
      port: settings.port,
      preferredPort: Number(facts.get('last_port') ?? 0),
      extraHosts: settings.extra_hosts,
      trustedOrigins: settings.trusted_origins,
      guard,
      maxConnections: settings.max_connections,
      receiveMs: settings.receive_s * 1000,
      metrics: metrics.http,
    });
    const { url, beyond, port, close } = listening;
    address.url = url;
    closers.push(close);
    // The watcher reads all folders once more, and the report checks every script. No caller has to wait for either.
    const watching = watchCatalogue(catalogue, log.child({ part: 'scripts' }));
    closers.push(() => watching.close());
    catalogue.changed.subscribe(() => void report.update());
    void report.update();
    publishCatalogue({ catalogue, eventLog, facts, log });
    facts.set('last_port', String(port));
    // A release that does not know the schema names this one.
    facts.set('release', version);
    keeper.start(runFolders);
    runs.recover(runFolders);
    removeMemoryFolder(home, (runId) => runs.isLive(runId)).catch((error: unknown) =>
      log.warn({ err: error }, 'cannot remove parameter files of an older release from shared memory'),
    );
    prepared.start();
    await triggers.start();
    outgoing?.start();

    closers.push(await announceService(home, { url, version, token, scripts }));

    let stopped: Promise<void> | undefined;
    return {
      url,
      beyond,
      get running() {
        return runs.running;
      },
      stop(now, { all }) {
        if (all) runs.endRuns();
        stopped ??= runs.drain(now).then(() => {
          closing.abort();
          return closeAll(now);
        });
        return stopped;
      },
    };
  } catch (error) {
    await closeAll(AbortSignal.abort());
    throw error;
  }
}

/** Builds the guard that checks the token of each request; null if the settings require no token. */
async function composeGuard({ settings, store, log }: AccessParts): Promise<TokenGuard | null> {
  if (!settings.token) return null;
  const { home } = settings;
  await ensureToken(home);
  return new TokenGuard({
    home,
    isLiveRun: (token) => isLiveToken(token, store),
    clock: systemClock,
    log: log.child({ part: 'access' }),
  });
}

/** The settings as clients see them. The address is a function because the service starts to listen later. */
function composeSettings(settings: LoadedSettings, listening: () => Listening | undefined): ShownSettings {
  const { home } = settings;
  return {
    home,
    file: settingsFile(home),
    reached: () => ({ address: listening()?.url ?? '', beyond: listening()?.beyond ?? [] }),
    items: settingsInForce(settings),
  };
}

/** Builds the client of the executor process. */
function composeExecutor(settings: LoadedSettings, version: string, log: Logger): Composed {
  const limits: WarmLimits = {
    memoryBytes: settings.warm_memory_mb * megabyte,
    idleMs: settings.warm_idle_minutes * minuteMs,
  };
  const executor = new ExecutorClient({
    home: settings.home,
    entry: fileURLToPath(new URL('../executor/main.js', import.meta.url)),
    version,
    env: settings.environment,
    isNative: settings.native_start,
    warmLimits: limits,
    log: log.child({ part: 'executor' }),
  });
  return { executor, warm: { limits, state: () => executor.warm } };
}
