import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';

import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';

import type { Attachment, RunHooks } from '../../src/execution/executor-client.ts';
import {
  type Count,
  type ExecutorState,
  endWithoutProcess,
  type RunEnd,
  type RunSpec,
  type WarmState,
} from '../../src/execution/messages.ts';
import { Connections } from '../../src/http/access/access-rules.ts';
import { createGuardedServer } from '../../src/http/access/guarded-server.ts';
import type { CallerUsers } from '../../src/http/access/same-user.ts';
import type { TokenGuard } from '../../src/http/access/token-guard.ts';
import { buildApp } from '../../src/http/app.ts';
import type { EnvironmentList } from '../../src/http/dependencies.ts';
import { Confirmations } from '../../src/mcp/confirmations.ts';
import { Mcp } from '../../src/mcp/mcp.ts';
import { Offers } from '../../src/mcp/offers.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { ModelLibrary } from '../../src/models/model-library.ts';
import { Notifications } from '../../src/notifications/notifications.ts';
import type { Packages } from '../../src/packages/operations/packages.ts';
import { BareCallers } from '../../src/runs/callers/bare-callers.ts';
import { RunRemover } from '../../src/runs/history/run-remover.ts';
import { KeyedRuns, recallOutcome } from '../../src/runs/keys/keyed-runs.ts';
import { readOutcome } from '../../src/runs/outcome/read-outcome.ts';
import { RunOutputs } from '../../src/runs/output/run-outputs.ts';
import { RunEnds } from '../../src/runs/run.ts';
import type { Executor } from '../../src/runs/run-request.ts';
import { RunService } from '../../src/runs/run-service.ts';
import { RunTerminals } from '../../src/runs/run-terminals.ts';
import { Catalogue } from '../../src/scripts/catalogue.ts';
import { ModelNeeds } from '../../src/scripts/model-needs.ts';
import { Slugs } from '../../src/scripts/slugs.ts';
import { SecretStore } from '../../src/secrets/secret-store.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { Feed } from '../../src/shared/feed.ts';
import { createLogger, type Logger } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { SqliteAgentChoiceStore } from '../../src/storage/sqlite-agent-choice-store.ts';
import { SqliteHistoryStore } from '../../src/storage/sqlite-history-store.ts';
import { SqliteNotificationStore } from '../../src/storage/sqlite-notification-store.ts';
import { SqliteSlugStore } from '../../src/storage/sqlite-slug-store.ts';
import { SqliteTriggerStore } from '../../src/storage/sqlite-trigger-store.ts';
import { tempFolder } from './hob.ts';
import { ledgerInMemory } from './ledger-in-memory.ts';
import { MemoryDownloads } from './memory-downloads.ts';
import { MemoryKeyStore } from './memory-key-store.ts';
import { MemoryRunStore } from './memory-run-store.ts';
import { packagesHere } from './packages-here.ts';
import { noWindows, smallLimits } from './run-service.ts';
import { writeScript } from './scripts.ts';
import { triggersInMemory } from './triggers-in-memory.ts';

/** The application with one script, an executor that runs nothing, and no tracing of callers by their socket. */
export async function appInProcess({
  maxRuns = 2,
  guard = null,
  downloads = new MemoryDownloads(),
  tables = '',
  packages,
  environments = { list: async () => [], remove: async () => null },
  warm = null,
  executorState = { state: 'ready', pid: 1, silentPids: [] },
  consoleFolder = null,
  callerUsers = { own: null, find: async () => null },
  log: given,
}: {
  maxRuns?: number;
  guard?: TokenGuard | null;
  downloads?: MemoryDownloads;
  /** Additional tables of the script's manifest. */
  tables?: string;
  packages?: Packages;
  environments?: EnvironmentList;
  warm?: WarmState | null;
  executorState?: ExecutorState;
  consoleFolder?: string | null;
  callerUsers?: CallerUsers;
  log?: Logger;
} = {}) {
  const folder = await tempFolder();
  await mkdir(join(folder, 'runs'));
  const script = await writeScript(join(folder, 'scripts'), 'node', { node: true, tables });
  const catalogue = new Catalogue([join(folder, 'scripts')]);
  await catalogue.load();
  const log = given ?? (await createLogger('silent'));
  const store = new MemoryRunStore();
  const executor = new HeldExecutor();
  const database = openDatabase(':memory:');
  const keys = new MemoryKeyStore();
  const { eventLog, ledger } = ledgerInMemory(store, log, { keys });
  const slugs = new Slugs({
    catalogue,
    store: new SqliteSlugStore(database),
    romanize: async (names) => names,
    log,
  });
  const runs = new RunService({
    store,
    keys,
    ledger,
    executor,
    clock: systemClock,
    log,
    resolveCommand: async () => ({ kind: 'command', command: { file: 'unused', args: [], env: {} } }),
    readOutcome,
    findScript: (id) => catalogue.find(id),
    resolveScript: (id) => catalogue.resolve(id),
    address: { url: 'http://127.0.0.1' },
    runsFolder: join(folder, 'runs'),
    environment: {},
    windows: noWindows,
    limits: smallLimits,
  });
  const runEnds = new RunEnds({ events: runs.events, seriesEnds: runs.seriesEnds, store });
  const outputs = new RunOutputs({ store, events: new Feed(), runsFolder: join(folder, 'runs') });
  const triggerStore = new SqliteTriggerStore(database);
  const history = new SqliteHistoryStore(database);
  const offers = new Offers({
    catalogue,
    slugs,
    store: new SqliteAgentChoiceStore(database),
    packages: 'chosen',
  });
  const confirmations = new Confirmations({ offers, clock: systemClock, after: () => () => {} });
  const app = await buildApp({
    offers,
    confirmations,
    mcp: new Mcp({
      offers,
      consent: confirmations,
      catalogue,
      runs,
      runEnds,
      outputs,
      eventLog,
      history,
      version: '0.0.0',
      log,
      patienceMs: 45_000,
      signOfLifeMs: 10_000,
      closing: new AbortController().signal,
    }),
    triggers: triggersInMemory({ folder, catalogue, triggerStore, log }),
    triggerStore,
    catalogue,
    slugs,
    runs,
    eventLog,
    ledger,
    outputs,
    runTerminals: new RunTerminals({ store, executor, outputs }),
    keyedRuns: new KeyedRuns({
      keys,
      keptSince: () => '',
      store,
      ends: runEnds,
      lend: () => {},
      recall: (record) =>
        recallOutcome(record, {
          readOutcome,
          runsFolder: folder,
          limits: { resultBytes: 0, outputAnswerBytes: 0 },
        }),
    }),
    runEnds,
    runRemover: new RunRemover({
      removal: { forgetRuns: () => [] },
      runsFolder: join(folder, 'runs'),
      log,
      closing: new AbortController().signal,
    }),
    runStore: store,
    history,
    clock: systemClock,
    bareCallers: new BareCallers({
      store,
      livePids: () => new Map(),
      maxRuns,
      trace: async () => ({ kind: 'unknown' }),
    }),
    notifications: new Notifications({
      store: new SqliteNotificationStore(database),
      clock: systemClock,
      log,
      addressOf: () => null,
      isOutgoing: () => false,
    }),
    outgoing: null,
    desktop: { state: 'none' },
    openFolder: async (path) => path,
    warm: { limits: { memoryBytes: 1000, idleMs: 1000 }, state: () => warm },
    executor: { state: executorState },
    downloads,
    packages: packages ?? (await packagesHere()).packages,
    environments,
    secrets: new SecretStore({ home: folder, clock: systemClock, log }),
    settings: {
      home: folder,
      file: join(folder, 'settings.toml'),
      reached: () => ({ address: 'http://127.0.0.1', beyond: [] }),
      items: [],
    },
    runtimes: { survey: async () => [] },
    models: new ModelLibrary({ places: [] }),
    modelNeeds: new ModelNeeds(catalogue),
    metrics: new Metrics({ version: '0.0.0', log }),
    log,
    version: '0.0.0',
    consoleFolder,
    closing: new AbortController().signal,
    heartbeatMs: 60_000,
    jsonBodyBytes: 1000,
    formBodyBytes: 1000,
    guard,
    callerUsers,
    requestStop: () => {},
  });
  onTestFinished(async () => {
    executor.endAll();
    await app.close();
  });
  return { app, executor, script, store, offers, confirmations };
}

/** Makes the application listen, with access control in front of it. */
export async function openGuarded(
  app: FastifyInstance,
  guard: TokenGuard | null = null,
): Promise<{ url: string; port: number; server: Server }> {
  const hosts = new Set<string>();
  const server = createGuardedServer({
    app,
    policy: { hosts, trustedOrigins: new Set() },
    guard,
    connections: new Connections({
      most: 100,
      reason: { en: 'the test', zh: '测试' },
      mostIdle: 100,
      pauseMs: 60_000,
    }),
    receiveMs: 60_000,
    metrics: new Metrics({ version: '0.0.0', log: await createLogger('silent') }).http,
    reached: () => [],
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  hosts.add(`127.0.0.1:${port}`);
  return { url: `http://127.0.0.1:${port}`, port, server };
}

/** An executor whose runs last until the test ends them. */
class HeldExecutor implements Executor {
  readonly containment = null;
  readonly counts = new Feed<readonly Count[]>();
  readonly silence = new Feed<number | null>();
  silentPid: number | null = null;
  #begun = 0;
  #wake = () => {};
  readonly #open = new Map<string, (end: RunEnd) => void>();

  run({ runId }: RunSpec, hooks: RunHooks): Promise<RunEnd> {
    hooks.given('1-aa');
    this.#begun++;
    this.#wake();
    return new Promise((resolve) => this.#open.set(runId, resolve));
  }

  /** Resolves when this many runs have begun in total. */
  async begun(count: number): Promise<void> {
    while (this.#begun < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  endAll(): void {
    for (const [runId, end] of this.#open) end(endWithoutProcess(runId, 'exit'));
    this.#open.clear();
  }

  attach(): Attachment {
    return { kind: 'unknown' };
  }

  canStop(): boolean {
    return true;
  }

  stop(): void {}

  terminalOf(): null {
    return null;
  }

  type(): boolean {
    return false;
  }

  resize(): boolean {
    return false;
  }

  acknowledge(): void {}

  acknowledgeCounts(): void {}

  catchUp(): void {}
}
