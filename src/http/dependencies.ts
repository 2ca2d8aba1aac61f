import type { EnvironmentView } from '../environments/environment.ts';
import type { Confirmations } from '../mcp/confirmations.ts';
import type { Mcp } from '../mcp/mcp.ts';
import type { Offers } from '../mcp/offers.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Downloads } from '../models/downloads/download.ts';
import type { ModelLibrary } from '../models/model-library.ts';
import type { Desktop } from '../notifications/desktop/desktop.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Outgoing } from '../notifications/outgoing/outgoing.ts';
import type { Packages } from '../packages/operations/packages.ts';
import type { BareCallers } from '../runs/callers/bare-callers.ts';
import type { HistoryStore } from '../runs/history/history-store.ts';
import type { RunRemover } from '../runs/history/run-remover.ts';
import type { KeyedRuns } from '../runs/keys/keyed-runs.ts';
import type { EventLog, Ledger } from '../runs/ledger.ts';
import type { RunOutputs } from '../runs/output/run-outputs.ts';
import type { Caller, RunEnds } from '../runs/run.ts';
import type { ExecutorState, WarmLimits, WarmState } from '../runs/run-record.ts';
import type { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { RunTerminals } from '../runs/run-terminals.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import type { ModelNeeds } from '../scripts/model-needs.ts';
import type { SurveyedRuntime } from '../scripts/runtimes/survey-runtimes.ts';
import type { Slugs } from '../scripts/slugs.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { Clock } from '../shared/clock.ts';
import type { Json } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import type { TriggerStore } from '../triggers/trigger-store.ts';
import type { Triggers } from '../triggers/triggers.ts';
import type { CallerUsers } from './access/same-user.ts';
import type { TokenGuard } from './access/token-guard.ts';

/** The part of the environment store that the routes use. */
export interface EnvironmentList {
  list(): Promise<EnvironmentView[]>;
  /** Null if there is no such environment. Throws if it is in use. */
  remove(key: string): Promise<EnvironmentView | null>;
}

/** The effective settings, without secrets. */
export interface ShownSettings {
  readonly home: string;
  readonly file: string;
  /** The addresses of the service; known once it listens. */
  reached(): { readonly address: string; readonly beyond: readonly string[] };
  readonly items: readonly {
    readonly name: string;
    readonly value: Json;
    readonly default: Json;
    /** Null: the default value. */
    readonly origin: { readonly kind: 'file' | 'environment' | 'flag'; readonly name: string } | null;
    readonly meaning: Text;
  }[];
}

/** The parts of Hob that the routes use. */
export interface AppDependencies {
  catalogue: Catalogue;
  slugs: Slugs;
  runs: RunService;
  eventLog: EventLog;
  ledger: Pick<Ledger, 'progressOf'>;
  outputs: RunOutputs;
  runTerminals: RunTerminals;
  keyedRuns: KeyedRuns;
  runEnds: RunEnds;
  runRemover: RunRemover;
  runStore: RunStore;
  history: HistoryStore;
  clock: Clock;
  bareCallers: BareCallers;
  models: ModelLibrary;
  downloads: Downloads;
  modelNeeds: ModelNeeds;
  packages: Packages;
  triggers: Triggers;
  offers: Pick<Offers, 'all' | 'choiceOf' | 'choose'>;
  confirmations: Pick<Confirmations, 'questions' | 'answer'>;
  triggerStore: Pick<TriggerStore, 'latest' | 'page'>;
  mcp: Mcp;
  environments: EnvironmentList;
  secrets: SecretStore;
  settings: ShownSettings;
  /** The interpreters on this machine. */
  runtimes: { survey(): Promise<readonly SurveyedRuntime[]> };
  notifications: Notifications;
  /** Sends notifications to the URL of the user. Null: the user set none. */
  outgoing: Pick<Outgoing, 'state' | 'test'> | null;
  desktop: Pick<Desktop, 'state'>;
  /** Opens the folder of a path in the user's file manager, and resolves with the folder. */
  openFolder: (path: string) => Promise<string>;
  /** The warm interpreters. */
  warm: { readonly limits: WarmLimits; state(): WarmState | null };
  /** The process that runs scripts. */
  executor: { readonly state: ExecutorState };
  metrics: Metrics;
  log: Logger;
  version: string;
  /** The folder with the console's files. Null: the console was not built. */
  consoleFolder: string | null;
  heartbeatMs: number;
  jsonBodyBytes: number;
  formBodyBytes: number;
  /** Aborted before the service closes its connections. Endless answers end then. */
  closing: AbortSignal;
  /** Null: the service requires no token. */
  guard: TokenGuard | null;
  callerUsers: CallerUsers;
  requestStop: (how: { all: boolean }) => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The run that sent this request, known by the run token in the address. */
    caller: Caller;
    /** True if Hob does not control the duration of the answer: it waits for a script, or stays open for events. */
    isLasting: boolean;
  }
}
