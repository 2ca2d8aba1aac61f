import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { type Flags, loadSettings } from './load-settings.ts';
import { settingNames } from './schema.ts';
import { settingsInForce } from './settings-in-force.ts';

async function shown(flags: Flags = {}, env: NodeJS.ProcessEnv = {}, file = '') {
  const home = await tempFolder();
  await writeFile(join(home, 'settings.toml'), file);
  const items = settingsInForce(await loadSettings({ home, ...flags }, env));
  return { home, items, of: (name: string) => items.find((item) => item.name === name) };
}

describe('the settings in force', () => {
  it('are all listed, each with its default and its meaning in both languages', async () => {
    const { items } = await shown();
    expect(items.map(({ name }) => name)).toEqual(settingNames);
    for (const { name, value, default: fallback, origin, meaning } of items) {
      expect({ name, value, origin }).toEqual({ name, value: fallback, origin: null });
      expect(meaning.en).not.toMatch(/\]\(/);
      expect(meaning.zh).toMatch(/\p{Script=Han}/u);
    }
  });

  it('name the file, variable or flag that determines each value', async () => {
    const flags = { port: '1003', scripts: ['/srv/scripts'] };
    const env = { HOB_MAX_RUNS: '3', HOB_PORT: '1002' };
    const file = 'port = 1001\nmax_runs = 2\ntimeout_s = 60\n';
    const { home, of } = await shown(flags, env, file);
    expect(of('port')).toMatchObject({
      value: 1003,
      default: 9527,
      origin: { kind: 'flag', name: '--port' },
    });
    expect(of('max_runs')).toMatchObject({
      value: 3,
      origin: { kind: 'environment', name: 'HOB_MAX_RUNS' },
    });
    expect(of('timeout_s')).toMatchObject({
      value: 60,
      default: 0,
      origin: { kind: 'file', name: join(home, 'settings.toml') },
    });
    expect(of('scripts')).toMatchObject({ origin: { kind: 'flag', name: '--scripts' } });
    expect(of('drain_s')).toMatchObject({ origin: null });
  });

  it('show only the host of the address for notifications', async () => {
    const { of } = await shown({}, { HOB_NOTIFY_URL: 'https://ada:pass@ntfy.example:8443/topic?auth=x' });
    expect(of('notify_url')?.value).toBe('https://ntfy.example:8443/…');
  });
});
