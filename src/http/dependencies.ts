import type { ModelLibrary } from '../models/model-library.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { BareCallers } from '../runs/callers/bare-callers.ts';
import type { Caller } from '../runs/callers/chain.ts';
import type { RunRemover } from '../runs/history/run-remover.ts';
import type { KeyedRuns } from '../runs/keys/keyed-runs.ts';
import type { RunEnds } from '../runs/run-ends.ts';
import type { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import type { Logger } from '../shared/log.ts';

/** What the routes need from the rest of Hob. */
export interface AppDependencies {
  catalogue: Catalogue;
  runs: RunService;
  keyedRuns: KeyedRuns;
  runEnds: RunEnds;
  runRemover: RunRemover;
  runStore: RunStore;
  bareCallers: BareCallers;
  models: ModelLibrary;
  notifications: Notifications;
  log: Logger;
  version: string;
  heartbeatMs: number;
  jsonBodyBytes: number;
  formBodyBytes: number;
  /** Aborted when connections are about to be closed: answers that would go on for ever end then. */
  closing: AbortSignal;
  requestStop: (how: { all: boolean }) => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The run that sent this request, by the token in its address. */
    caller: Caller;
  }
}
