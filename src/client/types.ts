/** The types of the answers that this client returns. */
export type { ServiceEvent } from '../contract/events.ts';
export type { BriefRun, Run, Script, ScriptDetail, ScriptList } from '../contract/types.ts';
