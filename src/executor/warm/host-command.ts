import type { InterpreterSpec } from './warm-interpreter.ts';

/** How an interpreter is started that waits for a run. */
export interface HostCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The first message to it. */
  readonly config: object;
}

/** Python keeps the name of its script in memory. There is room for the longest path of Linux in the place of this one. */
const standIn = '/hob-warm-python'.padEnd(4096);
/** A host writes the command line of its run over its own. This is room for two of the longest paths. */
export const commandLineBytes = 8192;
/** An argument of spaces does not show in a list of processes. */
const padding = ' '.repeat(commandLineBytes);

/**
 * Python starts with a name that stands in for a script. The host, which Python imports from `program` as its `sitecustomize`, puts the
 * name of the script in its place. PYTHONPATH comes last: the host shortens it where it lies.
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
    args: [...options, standIn, padding],
    env: { ...rest, PYTHONPATH: searchPath ? `${program}:${searchPath}` : program },
    config: { ...config, python_path: searchPath },
  };
}
