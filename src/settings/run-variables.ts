import { basename, dirname } from 'node:path';

/** The parameter file of the run to which this process belongs; null outside of runs. */
export function parameterFileOfRun(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.HOB_PARAMETER_FILE || null;
}

/** The home of the Hob that runs this process; null outside of runs, and if another home is set. */
export function homeOfRun(env: NodeJS.ProcessEnv = process.env): string | null {
  const file = parameterFileOfRun(env);
  if (file === null || env.HOB_HOME) return null;
  // <home>/runs/<run>/params.json
  const runs = dirname(dirname(file));
  return basename(runs) === 'runs' ? dirname(runs) : null;
}
