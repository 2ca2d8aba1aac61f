import type { Static } from 'typebox';

import type * as history from '../../../src/http/wire/history.ts';
import type * as runs from '../../../src/http/wire/runs.ts';
import type * as scripts from '../../../src/http/wire/scripts.ts';
import type * as service from '../../../src/http/wire/service.ts';
import type * as terminal from '../../../src/http/wire/terminal.ts';

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
export type RunTerminal = Static<typeof terminal.TerminalAnswer>;
