import { delimiter } from 'node:path';

import { describe, expect, it } from 'vitest';

import { toolEnvironment } from './run-tool.ts';

describe('the environment of a tool', () => {
  it('excludes all variables that redirect packages to other folders, and keeps the others', () => {
    const misleading = {
      PIP_TARGET: '/x',
      PYTHONPATH: '/x',
      VIRTUAL_ENV: '/x',
      NPM_CONFIG_PREFIX: '/x',
      npm_config_global: 'true',
    };
    const rest = {
      PIP_INDEX_URL: 'https://host/simple',
      HTTPS_PROXY: 'http://proxy',
      npm_config_ignore_scripts: 'true',
      HOME: '/me',
    };
    expect(toolEnvironment({ ...misleading, ...rest, PATH: '/bin' }, '/opt/node/bin/node')).toEqual({
      ...rest,
      PATH: ['/opt/node/bin', '/bin'].join(delimiter),
      PYTHONUTF8: '1',
      PYTHONIOENCODING: 'utf-8',
      PYTHONUNBUFFERED: '1',
    });
  });
});
