import type { WarmSpec } from '../../execution/messages.ts';

/** The parameters for starting an interpreter that is interchangeable with others of its kind. */
export interface InterpreterSpec extends WarmSpec {
  readonly file: string;
  /** The environment of the runs, with a placeholder for the variable that identifies each run. */
  readonly env: Readonly<Record<string, string>>;
}

/** The command that starts a warm interpreter. */
export interface HostCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The first message to the interpreter. */
  readonly config: object;
}

/** Python keeps the name of its script in memory. This placeholder has room for the longest path of Linux. */
const placeholder = '/hob-warm-python'.padEnd(4096);

/** A host overwrites its own command line with that of its run. There is room for two of the longest paths. */
export const commandLineBytes = 8192;

/** An argument of spaces is invisible in a list of processes. */
const padding = ' '.repeat(commandLineBytes);

/**
 * Python starts with a placeholder as the name of its script. The host, which Python imports from `program` as its
 * `sitecustomize`, replaces it with the name of the script. PYTHONPATH comes last, because the host shortens it in
 * place.
 */
export function hostCommand(
  { language, file, options, env, preload }: InterpreterSpec,
  { program, isForked }: { program: string; isForked: boolean },
): HostCommand {
  const config = { fork: isForked, preload };
  if (language !== 'python') return { file, args: [...options, program, padding], env, config };
  const { PYTHONPATH: searchPath = null, ...rest } = env;
  return {
    file,
    args: [...options, placeholder, padding],
    env: { ...rest, PYTHONPATH: searchPath ? `${program}:${searchPath}` : program },
    config: { ...config, python_path: searchPath },
  };
}
