import type { Static } from 'typebox';

import type * as agents from './agents.ts';
import type * as environments from './environments.ts';
import type * as files from './files.ts';
import type * as history from './history.ts';
import type * as models from './models.ts';
import type * as notifications from './notifications.ts';
import type * as packages from './packages.ts';
import type * as runs from './runs.ts';
import type * as scripts from './scripts.ts';
import type * as secrets from './secrets.ts';
import type * as service from './service.ts';
import type * as settings from './settings.ts';
import type * as terminal from './terminal.ts';
import type * as triggers from './triggers.ts';

/** The types of requests and answers, derived from the schemas that the service checks with. They need no code at run time. */
export type ScriptList = Static<typeof scripts.ScriptsAnswer>;
export type Script = ScriptList['scripts'][number];
export type Problem = ScriptList['problems'][number];
export type ScriptDetail = Static<typeof scripts.ScriptAnswer>;
export type Param = Script['params'][number];
export type Run = Static<typeof runs.RunAnswer>;
export type Rerun = Static<typeof runs.RerunAnswer>;
export type RunPage = Static<typeof history.RunsAnswer>;
export type BriefRun = RunPage['items'][number];
export type RunAttempts = Static<typeof history.AttemptsAnswer>;
export type RunState = Run['state'];
export type EndCause = NonNullable<Run['end_cause']>;
export type Origin = Run['origin'];
export type OutcomeList = Static<typeof history.OutcomesAnswer>;
export type ScriptOutcomes = OutcomeList['items'][number];
export type Outcome = ScriptOutcomes['runs'][number];
export type TreeAnswer = Static<typeof history.TreeAnswer>;
/** The schema cannot describe a node inside a node of the same shape. */
export interface TreeNode extends Omit<TreeAnswer['root'], 'children'> {
  readonly children: readonly TreeNode[];
}
export interface RunTree extends Omit<TreeAnswer, 'root'> {
  readonly root: TreeNode;
}
export type Stats = Static<typeof history.StatsAnswer>;
export type NotificationPage = Static<typeof notifications.NotificationsAnswer>;
export type Notification = NotificationPage['items'][number];
export type OutgoingNotifications = Static<typeof notifications.OutgoingAnswer>;
export type DeliveryAttempt = Static<typeof notifications.DeliveryAttemptAnswer>;
export type Health = Static<typeof service.HealthAnswer>;
export type ModelList = Static<typeof models.ModelsAnswer>;
export type Model = ModelList['items'][number];
export type ModelRemoved = Static<typeof models.RemoveModelAnswer>;
export type DownloadList = Static<typeof models.DownloadsAnswer>;
export type Download = Static<typeof models.DownloadAnswer>;
export type DownloadStarted = Static<typeof models.DownloadStarted>;
export type DownloadRequest = Static<typeof models.DownloadBody>;
export type EnvironmentList = Static<typeof environments.EnvironmentsAnswer>;
export type Environment = EnvironmentList['items'][number];
export type EnvironmentRemoved = Static<typeof environments.EnvironmentRemoved>;
export type SecretList = Static<typeof secrets.SecretsAnswer>;
export type Secret = SecretList['items'][number];
export type SecretChanged = Static<typeof secrets.SecretChanged>;
export type SettingsInForce = Static<typeof settings.SettingsAnswer>;
export type Setting = SettingsInForce['items'][number];
export type RuntimeList = Static<typeof settings.RuntimesAnswer>;
export type Runtime = RuntimeList['items'][number];
export type Execution = Static<typeof runs.ExecutionAnswer>;
export type ModelPath = Static<typeof models.ModelPathAnswer>;
export type Accepted = Static<typeof runs.AcceptedAnswer>;
export type FolderListing = Static<typeof files.FilesAnswer>;
export type FolderEntry = FolderListing['entries'][number];
export type PackageList = Static<typeof packages.PackagesAnswer>;
export type InstalledPackage = PackageList['items'][number];
export type OperationList = Static<typeof packages.OperationsAnswer>;
export type Operation = OperationList['items'][number];
export type OperationStarted = Static<typeof packages.OperationStarted>;
export type Uninstalled = Static<typeof packages.UninstallAnswer>;
export type RunTerminal = Static<typeof terminal.TerminalAnswer>;
export type TriggerList = Static<typeof triggers.TriggersAnswer>;
export type Trigger = Static<typeof triggers.TriggerAnswer>;
export type TriggerSuggestion = TriggerList['suggestions'][number];
export type TriggerChecked = Static<typeof triggers.TriggerChecked>;
export type Firing = Static<typeof triggers.FiringAnswer>;
export type Fired = Static<typeof triggers.FiredAnswer>;
export type TriggerRemoved = Static<typeof triggers.TriggerRemoved>;
export type FiringPage = Static<typeof triggers.SlotsAnswer>;
export type Agents = Static<typeof agents.AgentsAnswer>;
export type AgentScript = Agents['scripts'][number];
export type AgentQuestionList = Static<typeof agents.AgentQuestionsAnswer>;
export type AgentQuestion = Agents['questions'][number];
