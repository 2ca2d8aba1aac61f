/** The types and the fixed values of the interface. Pages import them from here. */
export { describeEnding, endNames } from '../../../src/contract/endings.ts';
export type { EventData, ServiceEvent } from '../../../src/contract/events.ts';
export { countsOf, type Ended, judgedOf, outcomes } from '../../../src/contract/outcome-counts.ts';
export {
  formatBytes,
  formatClock,
  formatRate,
  formatShortDuration,
} from '../../../src/contract/quantities.ts';
export { resolveReferences } from '../../../src/contract/references.ts';
export type * from '../../../src/contract/types.ts';
export type { FiringOutcome, TriggerKind, TriggerState } from '../../../src/contract/values.ts';
export {
  endCauses,
  modelSources,
  operationStages,
  origins,
  runStates,
  triggerKinds,
} from '../../../src/contract/values.ts';
