import { join } from 'node:path';

import { huggingFaceCache, modelScopeCaches } from './user-environment.ts';

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
