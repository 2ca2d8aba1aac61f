import { delimiter, sep } from 'node:path';

const dropped = new Set(['NODE_OPTIONS', 'LD_PRELOAD', 'INIT_CWD', 'NODE_V8_COVERAGE']);

/**
 * The environment that scripts inherit: that of the user, without variables for Hob (`HOB_*`) and without variables
 * that npm adds if Hob was started with `npm start`. A script thus behaves the same for any way to start the service.
 */
export function userEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const kept: Record<string, string> = {};
  const addedByNpm = env.npm_lifecycle_event === undefined ? new Set<string>() : new Set(['NODE', 'COLOR']);
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const upper = name.toUpperCase();
    // Only lower case: NPM_TOKEN and similar variables belong to the user.
    if (dropped.has(upper) || upper.startsWith('HOB_') || name.startsWith('npm_') || addedByNpm.has(name))
      continue;
    kept[name] = upper === 'PATH' ? withoutNpmFolders(value) : value;
  }
  return kept;
}

function withoutNpmFolders(path: string): string {
  const ours = (folder: string) =>
    folder.endsWith(`node_modules${sep}.bin`) ||
    folder.endsWith(`${sep}@npmcli${sep}run-script${sep}lib${sep}node-gyp-bin`);
  return path
    .split(delimiter)
    .filter((folder) => !ours(folder))
    .join(delimiter);
}

/** The cache folder of Python's huggingface_hub, from the variables that it reads. */
export function huggingFaceCache(env: NodeJS.ProcessEnv, home: string): string {
  if (env.HF_HUB_CACHE) return env.HF_HUB_CACHE;
  if (env.HUGGINGFACE_HUB_CACHE) return env.HUGGINGFACE_HUB_CACHE;
  if (env.HF_HOME) return [env.HF_HOME, 'hub'].join(sep);
  return [env.XDG_CACHE_HOME || [home, '.cache'].join(sep), 'huggingface', 'hub'].join(sep);
}

/** Cache folders of the ModelScope library: newer and older versions use different defaults. */
export function modelScopeCaches(env: NodeJS.ProcessEnv, home: string): { current: string; old: string } {
  if (env.MODELSCOPE_CACHE) return { current: env.MODELSCOPE_CACHE, old: env.MODELSCOPE_CACHE };
  const current = [home, '.cache', 'modelscope'].join(sep);
  return { current, old: [current, 'hub'].join(sep) };
}
