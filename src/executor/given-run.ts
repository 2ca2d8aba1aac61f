import type { Environment, RunSpec } from '../execution/messages.ts';

/** A run, with the part of its environment that it shares with other runs. */
export interface GivenRun extends RunSpec {
  /** The same object for all runs that share it. */
  readonly shared?: Environment;
}

export const nothingShared: Environment = {};

/** The whole environment of a run. */
export function environmentOf({ shared, env }: Pick<GivenRun, 'shared' | 'env'>): Environment {
  const { PYTHONPATH: searchPath, ...rest } = { ...shared, ...env };
  // PYTHONPATH comes last in every start, because a warm Python has it there.
  return searchPath === undefined ? rest : { ...rest, PYTHONPATH: searchPath };
}
