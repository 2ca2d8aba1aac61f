import type { Static } from 'typebox';

import type * as files from '../../../src/http/wire/files.ts';
import type * as history from '../../../src/http/wire/history.ts';
import type * as operations from '../../../src/http/wire/operations.ts';
import type * as packages from '../../../src/http/wire/packages.ts';
import type * as runs from '../../../src/http/wire/runs.ts';
import type * as scripts from '../../../src/http/wire/scripts.ts';
import type * as service from '../../../src/http/wire/service.ts';

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
export type Accepted = Static<typeof operations.AcceptedAnswer>;
export type FolderListing = Static<typeof files.FilesAnswer>;
export type FolderEntry = FolderListing['entries'][number];
export type PackageList = Static<typeof packages.PackagesAnswer>;
export type InstalledPackage = PackageList['items'][number];
export type Operation = Static<typeof packages.OperationAnswer>;
export type OperationStarted = Static<typeof packages.OperationStarted>;
export type Uninstalled = Static<typeof packages.UninstallAnswer>;
