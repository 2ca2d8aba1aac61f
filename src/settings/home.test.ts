import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

import { resolveHome } from './home.ts';

describe('the home', () => {
  it('is taken from the flag before the environment', () => {
    expect(resolveHome('/flag', { HOB_HOME: '/env' })).toBe('/flag');
    expect(resolveHome(undefined, { HOB_HOME: '/env' })).toBe('/env');
  });

  it('is always an absolute path', () => {
    expect(resolveHome('here', {})).toBe(resolve('here'));
    expect(resolveHome(undefined, { HOB_HOME: './here' })).toBe(resolve('here'));
  });

  it('is the platform folder for program data otherwise', () => {
    expect(resolveHome(undefined, {}, 'linux')).toBe(join(homedir(), '.local', 'share', 'hob'));
    expect(resolveHome(undefined, { XDG_DATA_HOME: '/data' }, 'linux')).toBe('/data/hob');
    expect(resolveHome(undefined, { XDG_DATA_HOME: 'relative' }, 'linux')).toBe(
      join(homedir(), '.local', 'share', 'hob'),
    );
    expect(resolveHome(undefined, { HOB_HOME: '' }, 'linux')).toBe(join(homedir(), '.local', 'share', 'hob'));
    expect(resolveHome(undefined, {}, 'darwin')).toBe(
      join(homedir(), 'Library', 'Application Support', 'hob'),
    );
    expect(resolveHome(undefined, { LOCALAPPDATA: '/local' }, 'win32')).toBe('/local/hob');
  });
});
