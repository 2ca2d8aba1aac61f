import { describe, expect, it } from 'vitest';

import { huggingFaceCache, modelScopeCaches, userEnvironment } from './user-environment.ts';

describe('the environment that scripts inherit', () => {
  it('is that of the user', () => {
    const env = {
      HOME: '/home/me',
      LANG: 'zh_CN.UTF-8',
      EMPTY: '',
      http_proxy: 'x',
      NODE_PATH: '/n',
      LD_LIBRARY_PATH: '/l',
    };
    expect(userEnvironment(env)).toEqual(env);
  });

  it('excludes variables for Hob and for Node', () => {
    const env = {
      HOB_PORT: '1',
      HOB_HOME: '/x',
      HOB_RUN_ID: 'y',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: '/evil.so',
      KEPT: '1',
      HOBBY: 'x',
    };
    expect(userEnvironment(env)).toEqual({ KEPT: '1', HOBBY: 'x' });
  });

  it('excludes variables that npm adds, but not similar ones', () => {
    const env = {
      npm_config_cache: 'x',
      npm_lifecycle_event: 'start',
      npm_package_name: 'hob',
      INIT_CWD: '/x',
      NPM_TOKEN: 'the users own',
      NPM_CONFIG_REGISTRY: 'https://registry.example',
      npmrc: 'x',
    };
    expect(userEnvironment(env)).toEqual({
      NPM_TOKEN: 'the users own',
      NPM_CONFIG_REGISTRY: 'https://registry.example',
      npmrc: 'x',
    });
  });

  it('has a PATH without the folders of npm', () => {
    const path = [
      '/home/ada/hob/node_modules/.bin',
      '/home/ada/node_modules/.bin',
      '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin',
      '/usr/local/bin',
      '/usr/bin',
      '/home/me/node_modules/.bin-tools',
    ].join(':');
    expect(userEnvironment({ PATH: path })).toEqual({
      PATH: '/usr/local/bin:/usr/bin:/home/me/node_modules/.bin-tools',
    });
  });

  it('excludes variables that are not set', () => {
    expect(userEnvironment({ A: undefined, B: '1' })).toEqual({ B: '1' });
  });
});

describe('the cache of Hugging Face', () => {
  it.each([
    [{ HF_HUB_CACHE: '/1', HUGGINGFACE_HUB_CACHE: '/2', HF_HOME: '/3', XDG_CACHE_HOME: '/4' }, '/1'],
    [{ HUGGINGFACE_HUB_CACHE: '/2', HF_HOME: '/3', XDG_CACHE_HOME: '/4' }, '/2'],
    [{ HF_HOME: '/3', XDG_CACHE_HOME: '/4' }, '/3/hub'],
    [{ XDG_CACHE_HOME: '/4' }, '/4/huggingface/hub'],
    [{}, '/home/me/.cache/huggingface/hub'],
    [{ HF_HUB_CACHE: '', HF_HOME: '' }, '/home/me/.cache/huggingface/hub'],
  ])('is the folder that %j determines', (env, folder) => {
    expect(huggingFaceCache(env, '/home/me')).toBe(folder);
  });
});

describe('the caches of ModelScope', () => {
  it.each([
    [{ MODELSCOPE_CACHE: '/1' }, { current: '/1', old: '/1' }],
    [{}, { current: '/home/me/.cache/modelscope', old: '/home/me/.cache/modelscope/hub' }],
    [
      { MODELSCOPE_CACHE: '', XDG_CACHE_HOME: '/4' },
      { current: '/home/me/.cache/modelscope', old: '/home/me/.cache/modelscope/hub' },
    ],
  ])('are the folders that %j determines', (env, folders) => {
    expect(modelScopeCaches(env, '/home/me')).toEqual(folders);
  });
});
