import { basename, dirname } from 'node:path';

/** Where the parameter file of the run lies that this process is a part of; null outside of runs. */
export function parameterFileOfRun(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.HOB_PARAMETER_FILE || null;
}

/** The home of the Hob that runs the script which this process is a part of; null outside of runs, and where another home is named. */
export function homeOfRun(env: NodeJS.ProcessEnv = process.env): string | null {
  const file = parameterFileOfRun(env);
  if (file === null || env.HOB_HOME) return null;
  // <home>/runs/<run>/params.json
  const runs = dirname(dirname(file));
  return basename(runs) === 'runs' ? dirname(runs) : null;
}
