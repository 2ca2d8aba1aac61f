import { delimiter, join, sep } from 'node:path';

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

interface SourceSettings {
  endpoint: string;
  token: string | null;
  /** The file with the token, if the environment has none. */
  tokenFile: string | null;
  isOffline: boolean;
  cache: string;
}

export interface HubSettings {
  huggingface: SourceSettings;
  modelscope: SourceSettings;
}

interface Endpoints {
  huggingface_endpoint: string;
  modelscope_endpoint: string;
}

/** The settings for downloads of models, from the variables that the libraries of both hubs read. */
export function hubSettings(env: NodeJS.ProcessEnv, home: string, endpoints: Endpoints): HubSettings {
  const userCache = env.XDG_CACHE_HOME || join(home, '.cache');
  return {
    huggingface: {
      endpoint: endpoints.huggingface_endpoint || env.HF_ENDPOINT || 'https://huggingface.co',
      token: env.HF_TOKEN || null,
      tokenFile: env.HF_TOKEN_PATH || join(env.HF_HOME || join(userCache, 'huggingface'), 'token'),
      isOffline: /^(?:1|true|yes|on)$/i.test(env.HF_HUB_OFFLINE ?? ''),
      cache: huggingFaceCache(env, home),
    },
    modelscope: {
      endpoint: withScheme(
        endpoints.modelscope_endpoint || env.MODELSCOPE_ENDPOINT || 'https://www.modelscope.cn',
      ),
      token: env.MODELSCOPE_API_TOKEN || null,
      tokenFile: null,
      isOffline: false,
      cache: modelScopeCaches(env, home).current,
    },
  };
}

/** ModelScope's own library also accepts a host without a scheme. */
function withScheme(endpoint: string): string {
  return endpoint.includes('://') ? endpoint : `https://${endpoint}`;
}
