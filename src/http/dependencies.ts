import type { EnvironmentView } from '../environments/environment.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Downloads } from '../models/downloads/download.ts';
import type { ModelLibrary } from '../models/model-library.ts';
import type { Desktop } from '../notifications/desktop/desktop.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Packages } from '../packages/operations/packages.ts';
import type { BareCallers } from '../runs/callers/bare-callers.ts';
import type { Caller } from '../runs/callers/chain.ts';
import type { EventLog } from '../runs/events/event-log.ts';
import type { HistoryStore } from '../runs/history/history-store.ts';
import type { RunRemover } from '../runs/history/run-remover.ts';
import type { KeyedRuns } from '../runs/keys/keyed-runs.ts';
import type { Ledger } from '../runs/ledger.ts';
import type { RunOutputs } from '../runs/output/run-outputs.ts';
import type { RunEnds } from '../runs/run-ends.ts';
import type { ExecutorState, WarmLimits, WarmState } from '../runs/run-record.ts';
import type { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { RunTerminals } from '../runs/run-terminals.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import type { ModelNeeds } from '../scripts/model-needs.ts';
import type { SurveyedRuntime } from '../scripts/runtimes/survey-runtimes.ts';
import type { Clock } from '../shared/clock.ts';
import type { Json } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import type { TokenGuard } from './door/token-guard.ts';

/** The environments on the disk, as far as the routes need them. */
export interface EnvironmentList {
  list(): Promise<EnvironmentView[]>;
  /** Null when there is no such environment; refuses one that is in use. */
  remove(key: string): Promise<EnvironmentView | null>;
}

/** The settings that hold, as far as they are shown. */
export interface ShownSettings {
  readonly home: string;
  readonly file: string;
  /** Where the service is reached; known once it listens. */
  reached(): { readonly address: string; readonly beyond: readonly string[] };
  readonly items: readonly {
    readonly name: string;
    readonly value: Json;
    readonly default: Json;
    /** Null: it is the default. */
    readonly origin: { readonly kind: 'file' | 'environment' | 'flag'; readonly name: string } | null;
    readonly meaning: Text;
  }[];
}

/** What the routes need from the rest of Hob. */
export interface AppDependencies {
  catalogue: Catalogue;
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
  environments: EnvironmentList;
  settings: ShownSettings;
  /** The interpreters on this machine. */
  runtimes: { survey(): Promise<readonly SurveyedRuntime[]> };
  notifications: Notifications;
  desktop: Pick<Desktop, 'state'>;
  /** Shows the folder of a path to the person at the desk, and resolves with it. */
  openFolder: (path: string) => Promise<string>;
  /** The interpreters that wait for runs. */
  warm: { readonly limits: WarmLimits; state(): WarmState | null };
  /** The process that runs scripts. */
  executor: { readonly state: ExecutorState };
  metrics: Metrics;
  log: Logger;
  version: string;
  /** Where the console's files are. Null: it was not built. */
  consoleFolder: string | null;
  heartbeatMs: number;
  jsonBodyBytes: number;
  formBodyBytes: number;
  /** Aborted when connections are about to be closed: answers that would go on for ever end then. */
  closing: AbortSignal;
  /** Null: no token is needed. */
  guard: TokenGuard | null;
  requestStop: (how: { all: boolean }) => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The run that sent this request, by the token in its address. */
    caller: Caller;
    /** Set where the length of the answer is not up to Hob: it waits for a script, or stays open for what is to come. */
    isLasting: boolean;
  }
}
