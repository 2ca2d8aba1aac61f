/** The fixed values of fields. They are plain data: a reader of answers needs no schema library. */

/** How a run was requested. `hob` marks runs that Hob starts itself, for example to build an environment. */
export const origins = ['execute', 'link', 'console', 'cli', 'schedule', 'hob'] as const;
export type Origin = (typeof origins)[number];

export const runStates = ['queued', 'running', 'succeeded', 'failed', 'unknown'] as const;
export type RunState = (typeof runStates)[number];

export const endCauses = [
  'exit',
  'signal',
  'timeout',
  'cancelled',
  'spawn-failed',
  'shutdown',
  'lost',
] as const;
export type EndCause = (typeof endCauses)[number];

/** The author of the envelope: the script itself, or Hob. */
export const envelopeSources = ['own', 'synthesized'] as const;
export type EnvelopeSource = (typeof envelopeSources)[number];

/** How an executor finds the processes of a run. */
export const containments = ['cgroup', 'sweep', 'descent', 'taskkill'] as const;
export type Containment = (typeof containments)[number];

export const executorStates = ['ready', 'silent', 'none'] as const;

export const warmLanguages = ['python', 'node.js'] as const;
export type WarmLanguage = (typeof warmLanguages)[number];

export const notificationTypes = ['success', 'error', 'info'] as const;
export type NotificationType = (typeof notificationTypes)[number];

export const desktopStates = ['ready', 'unreachable', 'none'] as const;
/**
 * ready: the last attempt worked, or there was none yet. unreachable: a desktop is expected, but did not respond.
 * none: the machine has no desktop.
 */
export type DesktopState = (typeof desktopStates)[number];

/** The sources of a package. */
export const sourceKinds = ['folder', 'archive', 'git'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** The operations on a package. */
export const operationKinds = ['install', 'update', 'rollback', 'prepare'] as const;
export type OperationKind = (typeof operationKinds)[number];

export const operationStates = ['running', 'done', 'failed', 'cancelled'] as const;
export type OperationState = (typeof operationStates)[number];

/** Stages in order; not every operation has all of them. */
export const operationStages = ['fetching', 'checking', 'preparing', 'switching'] as const;
export type OperationStage = (typeof operationStages)[number];

export const environmentKinds = ['python', 'node'] as const;
export type EnvironmentKind = (typeof environmentKinds)[number];

/** The hubs that models are downloaded from. */
export const modelSources = ['huggingface', 'modelscope'] as const;
export type ModelSource = (typeof modelSources)[number];

/** The folders that models are found in. */
export const modelPlaces = ['own', 'huggingface', 'modelscope', 'extra'] as const;
export type ModelPlace = (typeof modelPlaces)[number];

/** The entries of a folder. */
export const entryKinds = ['folder', 'file', 'other'] as const;
