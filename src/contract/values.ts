/** The fixed values of fields. They are plain data: a reader of answers needs no schema library. */

/** How a run was requested. `mcp` marks runs that an agent started as a tool, and `hob` marks runs that Hob starts itself, for example to build an environment. */
export const origins = [
  'execute',
  'link',
  'console',
  'cli',
  'schedule',
  'folder',
  'webhook',
  'menu',
  'shortcut',
  'mcp',
  'hob',
] as const;
export type Origin = (typeof origins)[number];

/** The origins that a caller may claim for a run with the header X-Hob-Origin. */
export const claimedOrigins = ['console', 'cli', 'menu', 'shortcut'] as const satisfies readonly Origin[];

/** Where an entry of a file manager appears; `background` is the empty space of a folder. */
export const menuTargets = ['files', 'directory', 'background'] as const;
export type MenuTarget = (typeof menuTargets)[number];

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

/** The end causes after which a run may be tried again. */
export const retryCauses = ['exit', 'signal', 'timeout', 'spawn-failed', 'lost'] as const;
export type RetryCause = (typeof retryCauses)[number];

/** When a run that failed is tried again. A run with one attempt has none of these. */
export interface Retries {
  /** At least 2: the first attempt counts. */
  readonly attempts: number;
  /** The delay before the second attempt. */
  readonly backoffMs: number;
  readonly factor: number;
  readonly on: readonly RetryCause[];
}

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

/** Formats of the messages to the URL of the user. */
export const outgoingFormats = ['json', 'ntfy'] as const;
export type OutgoingFormat = (typeof outgoingFormats)[number];

/** Which notifications Hob posts: those of type `error`, or all. */
export const outgoingSelections = ['errors', 'all'] as const;
export type OutgoingSelection = (typeof outgoingSelections)[number];

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

/** The rules that start runs by themselves. */
export const triggerKinds = ['schedule', 'folder', 'webhook'] as const;
export type TriggerKind = (typeof triggerKinds)[number];

/** on: it starts runs. off: the user disabled it. broken: its entry has a mistake. script-missing: its script is gone. */
export const triggerStates = ['on', 'off', 'broken', 'script-missing'] as const;
export type TriggerState = (typeof triggerStates)[number];

/** The slots that a schedule makes up for after a time in which nothing could start: none, the last one, or all. */
export const missedPolicies = ['skip', 'once', 'all'] as const;
export type MissedPolicy = (typeof missedPolicies)[number];

/** How a schedule treats a slot while its previous run has not ended. */
export const overlapPolicies = ['skip', 'queue', 'allow'] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

/** What happens to a file after its run: nothing, or Hob moves it to `done` or `failed` beside it. */
export const afterPolicies = ['leave', 'move'] as const;
export type AfterPolicy = (typeof afterPolicies)[number];

/** How a sender of webhooks proves who it is. */
export const signatureSchemes = ['github', 'stripe', 'standard', 'token'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

/** fired: a run was started. skipped: a rule of the trigger left it out. refused: it could not start, or was not accepted. */
export const firingOutcomes = ['fired', 'skipped', 'refused'] as const;
export type FiringOutcome = (typeof firingOutcomes)[number];

/** The hubs that models are downloaded from. */
export const modelSources = ['huggingface', 'modelscope'] as const;
export type ModelSource = (typeof modelSources)[number];

/** The folders that models are found in. */
export const modelPlaces = ['own', 'huggingface', 'modelscope', 'extra'] as const;
export type ModelPlace = (typeof modelPlaces)[number];

/** The entries of a folder. */
export const entryKinds = ['folder', 'file', 'other'] as const;

/** Which scripts of installed packages agents may use: those that the user chose, those whose manifest enables it, or all. */
export const agentPackages = ['chosen', 'declared', 'all'] as const;
export type AgentPackages = (typeof agentPackages)[number];

/** The answers of the user to an agent that wants to run a script: this run, this and all later runs, or no run. */
export const agentAnswers = ['allow', 'always', 'refuse'] as const;
export type AgentAnswer = (typeof agentAnswers)[number];
