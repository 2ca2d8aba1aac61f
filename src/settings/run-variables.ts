/** Where the parameter file of the run lies that this process is a part of; null outside of runs. */
export function parameterFileOfRun(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.HOB_PARAMETER_FILE || null;
}
