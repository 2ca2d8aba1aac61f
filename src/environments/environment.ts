import type { EnvironmentKind } from '../contract/values.ts';
import type { Script } from '../scripts/script.ts';
import type { Text } from '../shared/text.ts';
import type { BuildOrder } from './builder/build-order.ts';

/** The environment that a script runs with. */
export type Prepared =
  /** The script needs no packages, or has its own environment. */
  | { readonly kind: 'none' }
  | { readonly kind: 'python'; readonly key: string; readonly python: string }
  /** Its node_modules is linked. */
  | { readonly kind: 'node'; readonly key: string }
  | { readonly kind: 'unavailable'; readonly message: Text };

export interface Waiter {
  /** The run that needs it; null for an installation. */
  readonly runId: string | null;
  /** Aborted if the caller stops waiting. The build continues, because the next run needs it. */
  readonly signal: AbortSignal;
  /** Called at most once, before the first wait, with the run that builds. */
  onBuild(buildRunId: string): void;
}

/** A build to be executed as a separate run. */
export interface BuildRequest {
  readonly script: Pick<Script, 'id' | 'name'>;
  readonly params: BuildOrder;
  /** The first waiting run, whose slot the build can use. */
  readonly waitingRunId: string | null;
}

export interface BuildRun {
  readonly runId: string;
  /** Another run waits too: the build can use its slot if it has none yet. */
  lend(waitingRunId: string): void;
  /** Never rejects. */
  readonly ended: Promise<{ readonly success: boolean; readonly message: string }>;
}

/** Executes builds. Declared here, because environments do not know runs. */
export type StartBuild = (request: BuildRequest) => Promise<BuildRun>;

export interface EnvironmentView {
  readonly key: string;
  readonly kind: EnvironmentKind;
  readonly state: 'ready' | 'building' | 'damaged';
  readonly bytes: number;
  readonly madeAt: string | null;
  readonly usedAt: string | null;
  /** Tools that built it, such as `Python 3.11.7, pip` or `Node.js 20.20.2, npm 10.8.2`. */
  readonly madeWith: string | null;
  /** The requirements as written. */
  readonly requirements: readonly string[];
  readonly scripts: readonly { readonly id: string; readonly name: string }[];
}
