import type { Static } from 'typebox';

import type * as environments from '../../../src/http/wire/environments.ts';
import type * as history from '../../../src/http/wire/history.ts';
import type * as downloads from '../../../src/http/wire/model-downloads.ts';
import type * as models from '../../../src/http/wire/models.ts';
import type * as runs from '../../../src/http/wire/runs.ts';
import type * as scripts from '../../../src/http/wire/scripts.ts';
import type * as service from '../../../src/http/wire/service.ts';
import type * as settings from '../../../src/http/wire/settings.ts';

/** What the service answers, by the very schemas that it answers with. */
export type ScriptList = Static<typeof scripts.ScriptsAnswer>;
export type Script = ScriptList['scripts'][number];
export type Problem = ScriptList['problems'][number];
export type ScriptDetail = Static<typeof scripts.ScriptAnswer>;
export type Param = Script['params'][number];
export type Run = Static<typeof runs.RunAnswer>;
export type RunPage = Static<typeof history.RunsAnswer>;
export type BriefRun = RunPage['items'][number];
export type RunState = Run['state'];
export type Stats = Static<typeof history.StatsAnswer>;
export type Health = Static<typeof service.HealthAnswer>;
export type ModelList = Static<typeof models.ModelsAnswer>;
export type Model = ModelList['items'][number];
export type ModelRemoved = Static<typeof models.RemoveModelAnswer>;
export type DownloadList = Static<typeof downloads.DownloadsAnswer>;
export type Download = Static<typeof downloads.DownloadAnswer>;
export type DownloadRequest = Static<typeof downloads.DownloadBody>;
export type EnvironmentList = Static<typeof environments.EnvironmentsAnswer>;
export type Environment = EnvironmentList['items'][number];
export type EnvironmentRemoved = Static<typeof environments.EnvironmentRemoved>;
export type SettingsInForce = Static<typeof settings.SettingsAnswer>;
export type Setting = SettingsInForce['items'][number];
export type RuntimeList = Static<typeof settings.RuntimesAnswer>;
export type Runtime = RuntimeList['items'][number];
