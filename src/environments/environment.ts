import type { Script } from '../scripts/script.ts';
import type { Text } from '../shared/text.ts';

export const environmentKinds = ['python', 'node'] as const;
export type EnvironmentKind = (typeof environmentKinds)[number];

/** What a script is to be run with. */
export type Prepared =
  /** It brings nothing to install, or has its own environment already. */
  | { readonly kind: 'none' }
  | { readonly kind: 'python'; readonly key: string; readonly python: string }
  /** Its node_modules is in its place. */
  | { readonly kind: 'node'; readonly key: string }
  | { readonly kind: 'unavailable'; readonly message: Text };

/** Who waits for an environment. */
export interface Waiter {
  /** The run that needs it; null when no run does, as at an installation. */
  readonly runId: string | null;
  /** Aborted when nobody waits any more. The build goes on: the next run needs it too. */
  readonly signal: AbortSignal;
  /** Called at most once, before the first wait, with the run that builds. */
  onBuild(buildRunId: string): void;
}

/** A build that is to be carried out as a run of its own. */
export interface BuildRequest {
  readonly script: Pick<Script, 'id' | 'name'>;
  /** What the builder reads as its `params`. */
  readonly params: { readonly [name: string]: string | number | boolean | null | readonly string[] };
  /** The run that waits for it first, whose place it can take meanwhile. */
  readonly waitingRunId: string | null;
}

export interface BuildRun {
  readonly runId: string;
  /** Another run waits for it, too: it can take the place of that one, if it has none of its own yet. */
  lend(waitingRunId: string): void;
  /** Never rejects. */
  readonly ended: Promise<{ readonly success: boolean; readonly message: string }>;
}

/** How builds are carried out. Stated here: environments know nothing of runs. */
export type StartBuild = (request: BuildRequest) => Promise<BuildRun>;

/** An environment on the disk, as others see it. */
export interface EnvironmentView {
  readonly key: string;
  readonly kind: EnvironmentKind;
  readonly state: 'ready' | 'building' | 'damaged';
  readonly bytes: number;
  readonly madeAt: string | null;
  readonly usedAt: string | null;
  /** With what it was made, such as `Python 3.11.7, pip` or `Node.js 20.20.2, npm 10.8.2`. */
  readonly madeWith: string | null;
  /** The packages that were asked for, as they were written. */
  readonly requirements: readonly string[];
  readonly scripts: readonly { readonly id: string; readonly name: string }[];
}
