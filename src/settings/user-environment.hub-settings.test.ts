import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { hubSettings } from './user-environment.ts';

const none = { huggingface_endpoint: '', modelscope_endpoint: '' };

describe('the settings for model downloads', () => {
  it('are the defaults of the libraries of both hubs', () => {
    expect(hubSettings({}, '/home/ada', none)).toEqual({
      huggingface: {
        endpoint: 'https://huggingface.co',
        token: null,
        tokenFile: '/home/ada/.cache/huggingface/token',
        isOffline: false,
        cache: '/home/ada/.cache/huggingface/hub',
      },
      modelscope: {
        endpoint: 'https://www.modelscope.cn',
        token: null,
        tokenFile: null,
        isOffline: false,
        cache: '/home/ada/.cache/modelscope',
      },
    });
  });

  it('follow the variables of those libraries', () => {
    const env = {
      HF_ENDPOINT: 'https://mirror.example',
      HF_TOKEN: 'hf_x',
      HF_HUB_OFFLINE: '1',
      HF_HOME: '/hf',
      MODELSCOPE_ENDPOINT: 'www.modelscope.example',
      MODELSCOPE_API_TOKEN: 'ms_x',
      MODELSCOPE_CACHE: '/ms',
    };
    expect(hubSettings(env, '/home/ada', none)).toEqual({
      huggingface: {
        endpoint: 'https://mirror.example',
        token: 'hf_x',
        tokenFile: join('/hf', 'token'),
        isOffline: true,
        cache: join('/hf', 'hub'),
      },
      modelscope: {
        endpoint: 'https://www.modelscope.example',
        token: 'ms_x',
        tokenFile: null,
        isOffline: false,
        cache: '/ms',
      },
    });
  });

  it('prefer the settings to the environment', () => {
    const env = { HF_ENDPOINT: 'https://one.example', MODELSCOPE_ENDPOINT: 'https://two.example' };
    const chosen = { huggingface_endpoint: 'http://127.0.0.1:1', modelscope_endpoint: 'http://127.0.0.1:2' };
    const { huggingface, modelscope } = hubSettings(env, '/home/ada', chosen);
    expect([huggingface.endpoint, modelscope.endpoint]).toEqual(['http://127.0.0.1:1', 'http://127.0.0.1:2']);
  });

  it('read the token from the configured file', () => {
    expect(hubSettings({ HF_TOKEN_PATH: '/t', HF_HOME: '/hf' }, '/h', none).huggingface.tokenFile).toBe('/t');
    expect(hubSettings({ XDG_CACHE_HOME: '/x' }, '/h', none).huggingface.tokenFile).toBe(
      '/x/huggingface/token',
    );
  });
});
