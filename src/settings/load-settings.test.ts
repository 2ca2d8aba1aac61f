import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { type Flags, loadSettings, SettingsError } from './load-settings.ts';
import { environmentName, type SettingName, settingNames } from './schema.ts';

async function homeWith(file?: string): Promise<string> {
  const home = await tempFolder();
  if (file !== undefined) await writeFile(join(home, 'settings.toml'), file);
  return home;
}

async function load(file?: string, env: NodeJS.ProcessEnv = {}, flags: Flags = {}) {
  return loadSettings({ home: await homeWith(file), ...flags }, env);
}

async function problems(
  file?: string,
  env: NodeJS.ProcessEnv = {},
  flags: Flags = {},
): Promise<readonly string[]> {
  try {
    await load(file, env, flags);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ en }) => en);
    throw error;
  }
  throw new Error('the settings were not refused');
}

describe('settings', () => {
  it('have their documented defaults', async () => {
    expect(await load()).toMatchObject({
      listen: ['127.0.0.1', '::1'],
      port: 9527,
      scripts: [],
      log_level: 'info',
      extra_hosts: [],
      trusted_origins: [],
      token: false,
      max_connections: 1000,
      receive_s: 30,
      max_runs: Math.max(8, 4 * availableParallelism()),
      max_queued: 1000,
      queue_wait_s: 60,
      timeout_s: 0,
      stop_grace_s: 5,
      drain_s: 10,
      heartbeat_s: 30,
      terminal_command: [],
      terminal_hold: 'failure',
      output_log_mib: 64,
      output_answer_mib: 16,
      result_mib: 16,
      json_body_mib: 8,
      form_body_mib: 1,
      warm_memory_mb: 256,
      warm_idle_minutes: 30,
      native_start: true,
    });
  });

  it('are read from the file, overridden by the environment, overridden by flags', async () => {
    const file = 'port = 1001\nlog_level = "debug"\nlisten = ["::1"]\n';
    expect(await load(file)).toMatchObject({ port: 1001, log_level: 'debug', listen: ['::1'] });
    const env = { HOB_PORT: '1002', HOB_LOG_LEVEL: 'warn', HOB_LISTEN: '127.0.0.1' };
    expect(await load(file, env)).toMatchObject({ port: 1002, log_level: 'warn', listen: ['127.0.0.1'] });
    const flags = { port: '1003', logLevel: 'error', host: '127.0.0.2' };
    expect(await load(file, env, flags)).toMatchObject({
      port: 1003,
      log_level: 'error',
      listen: ['127.0.0.2'],
    });
    expect(await load(file, {}, { port: '0' })).toMatchObject({ port: 0, log_level: 'debug' });
  });

  it('accept numbers and lists from the environment', async () => {
    const env = {
      HOB_HEARTBEAT_S: '0.5',
      HOB_MAX_QUEUED: '0',
      HOB_EXTRA_HOSTS: 'a:1, b:2',
      HOB_TERMINAL_COMMAND: 'kitty, --hold',
      HOB_TRUSTED_ORIGINS: 'http://x',
    };
    expect(await load(undefined, env)).toMatchObject({
      heartbeat_s: 0.5,
      max_queued: 0,
      extra_hosts: ['a:1', 'b:2'],
      terminal_command: ['kitty', '--hold'],
      trusted_origins: ['http://x'],
    });
  });

  it('ignore empty variables and variables of others', async () => {
    const env = { HOB_PORT: '', HOB_RUN_ID: 'x', PORT: '5' };
    expect(await load('max_runs = 3\n', env)).toMatchObject({ port: 9527, max_runs: 3 });
  });

  it('can each be set by a variable of their name', async () => {
    expect(settingNames.map(environmentName)).toContain('HOB_MAX_RUNS');
    const values: Partial<Record<SettingName, string>> = {
      listen: '::1',
      log_level: 'warn',
      mcp_packages: 'all',
      on_stop: 'stop',
      terminal_hold: 'never',
      scripts: '/x',
      model_folders: '/y',
      extra_hosts: 'a',
      trusted_origins: 'http://b',
      token: 'true',
      environments: 'false',
      native_start: 'false',
      desktop_notifications: 'false',
      max_connections: '70',
      notify_url: 'https://one.example/path',
      notify_format: 'ntfy',
      notify_send: 'all',
      huggingface_endpoint: 'https://one.example/path',
      modelscope_endpoint: 'http://127.0.0.1:9',
    };
    for (const name of settingNames) {
      const settings = await load(undefined, { [environmentName(name)]: values[name] ?? '7' });
      expect([settings[name]].flat().map(String)).toEqual([values[name] ?? '7']);
    }
  });

  it('that were removed in this release cause a note, from any source', async () => {
    const { notes } = await load('parameters_in_memory = false\nport = 5\n', {
      HOB_PARAMETERS_IN_MEMORY: '1',
    });
    expect(notes.map(({ en }) => en)).toEqual([
      expect.stringMatching(
        /^parameters_in_memory in .*settings\.toml: this setting was removed and is ignored/,
      ),
      expect.stringMatching(/^HOB_PARAMETERS_IN_MEMORY: this setting was removed and is ignored/),
    ]);
    expect((await load('port = 5\n')).notes).toEqual([]);
    expect(await problems('no_such_setting = 1\n')).toEqual([expect.stringContaining('no_such_setting')]);
  });

  it('accept only URLs as hub endpoints, and do not repeat a password in one', async () => {
    expect(await problems('huggingface_endpoint = "hub.example"')).toEqual([
      expect.stringMatching(/huggingface_endpoint must be a URL, .* but it is "hub\.example"$/),
    ]);
    const [problem] = await problems(undefined, {
      HOB_MODELSCOPE_ENDPOINT: 'https://ada:secret@hub.example',
    });
    expect(problem).toContain('modelscope_endpoint must be a URL');
    expect(problem).not.toContain('secret');
  });

  it('accept only a URL for notifications, and never repeat it', async () => {
    for (const url of [
      'ntfy.sh/secret',
      'ftp://ntfy.sh/secret',
      'https://ntfy.sh:99999/secret',
      'https:///secret',
    ]) {
      const [problem] = await problems(undefined, { HOB_NOTIFY_URL: url });
      expect(problem).toContain('notify_url must be a URL');
      expect(problem).not.toContain('secret');
    }
    expect(await load('notify_url = "https://:tk_1@ntfy.example:8443/topic?x=1"')).toMatchObject({
      notify_send: 'errors',
    });
  });

  it('may be in a file with a byte order mark and Windows line endings', async () => {
    expect(await load('\uFEFF# 注释\r\nport = 1001\r\n')).toMatchObject({ port: 1001 });
  });

  it('need neither a file nor an existing home', async () => {
    const home = join(await tempFolder(), 'not', 'yet');
    expect(await loadSettings({ home }, {})).toMatchObject({ home, port: 9527 });
  });

  it('include the environment of scripts and the model folders', async () => {
    const settings = await load(undefined, { USER: 'me', HOB_PORT: '1', HF_HOME: '/hf' });
    expect(settings.environment).toEqual({ USER: 'me', HF_HOME: '/hf' });
    expect(settings.huggingFaceCache).toBe('/hf/hub');
    expect((await load()).huggingFaceCache).toBe(join(homedir(), '.cache', 'huggingface', 'hub'));
  });
});

describe('the folders with scripts', () => {
  it('are relative to the file that names them, otherwise to the working directory', async () => {
    const home = await homeWith('scripts = ["mine", "/abs", "../up"]\n');
    expect((await loadSettings({ home }, {})).scripts).toEqual([
      join(home, 'mine'),
      '/abs',
      resolve(home, '../up'),
    ]);
    expect((await load(undefined, { HOB_SCRIPTS: 'mine,/abs' })).scripts).toEqual([resolve('mine'), '/abs']);
    expect((await load(undefined, {}, { scripts: ['mine'] })).scripts).toEqual([resolve('mine')]);
  });

  it('of the flag are added to the others, each once', async () => {
    expect((await load('scripts = ["/a", "/b"]\n', {}, { scripts: ['/c', '/a'] })).scripts).toEqual([
      '/a',
      '/b',
      '/c',
    ]);
    expect((await load('scripts = ["/a"]\n', { HOB_SCRIPTS: '/b' }, { scripts: ['/c'] })).scripts).toEqual([
      '/b',
      '/c',
    ]);
  });
});

describe('invalid settings', () => {
  it('are all reported at once, each with its source', async () => {
    const file = 'max_runs = 0\nprot = 1\nqueue_wait_s = "long"\nscripts = "one"\n';
    const env = { HOB_HEARTBEAT_S: 'often', HOB_LOG_LEVEL: 'loud' };
    const found = await problems(file, env, { port: '99999', host: '0.0.0.0' });
    expect(found).toHaveLength(8);
    for (const part of [
      'max_runs in ',
      'prot',
      'queue_wait_s in ',
      'scripts in ',
      'HOB_HEARTBEAT_S',
      'HOB_LOG_LEVEL',
      '--port',
      '--host',
    ])
      expect(
        found.filter((problem) => problem.includes(part)),
        part,
      ).not.toEqual([]);
    expect(found.filter((problem) => problem.includes('settings.toml'))).toHaveLength(4);
  });

  it('are reported with the expected and the given value', async () => {
    expect(await problems('port = 70000\n')).toEqual([
      expect.stringMatching(/an integer from 0 to 65535.*70000/),
    ]);
    expect(await problems('port = 80.5\n')).toEqual([expect.stringMatching(/80\.5/)]);
    expect(await problems(undefined, { HOB_LOG_LEVEL: 'loud' })).toEqual([
      expect.stringMatching(/debug, info.*"loud"/),
    ]);
    expect(await problems('listen = []\n')).toHaveLength(1);
    expect(await problems('token = "s3cret"\n')).toEqual([
      expect.stringMatching(/^(?!.*s3cret).*true or false.*hob token/),
    ]);
    expect(await problems(undefined, { HOB_TOKEN: 'maybe' })).toEqual([expect.stringContaining('HOB_TOKEN')]);
    expect(await problems('scripts = [5]\n')).toEqual([expect.stringContaining('list of strings')]);
    expect(await problems('terminal_hold = "ever"\n')).toEqual([
      expect.stringMatching(/one of failure, always, never.*"ever"/),
    ]);
  });

  it.each(['"kitty"', '[""]', '["kitty", ""]', '["kit\\u0000ty"]', '["kitty", 5]'])(
    'include %s as the command for terminal windows',
    async (value) => {
      expect(await problems(`terminal_command = ${value}\n`)).toEqual([
        expect.stringMatching(
          /terminal_command .*a program and its arguments, none of them empty or with a NUL/,
        ),
      ]);
    },
  );

  it.each(['port', 'max_runs', 'max_queued', 'heartbeat_s', 'result_mib'])(
    'include a negative %s',
    async (name) => {
      expect(await problems(`${name} = -1\n`)).toEqual([expect.stringContaining(name)]);
    },
  );

  it.each(['1e400', 'NaN', '0x', '--1', 'true', '5 5'])('include the number %s', async (text) => {
    expect(await problems(undefined, { HOB_PORT: text })).toEqual([expect.stringContaining('HOB_PORT')]);
  });

  it('include keys that do not exist, with those that do', async () => {
    expect(await problems('colour = "red"\n[http]\nport = 1\n')).toEqual([
      expect.stringMatching(/unknown setting colour.*max_runs/),
      expect.stringMatching(/unknown setting http/),
    ]);
    expect(await problems('toString = 1\n')).toEqual([expect.stringContaining('toString')]);
  });

  it('include unknown variables, invalid hosts and origins, and overridden values', async () => {
    const text = 'port = "9602"\nextra_hosts = ["http://x"]\ntrusted_origins = ["localhost:3000/foo"]\n';
    const found = await problems(text, { HOB_PROT: '1' }, { port: '0' });
    expect(found.map((problem) => problem.split(/[ :]/)[0]).sort()).toEqual([
      'HOB_PROT',
      'extra_hosts',
      'port',
      'trusted_origins',
    ]);
  });

  it('include a file that is not valid TOML or cannot be read', async () => {
    expect(await problems('port = \n')).toEqual([
      expect.stringMatching(/settings\.toml:1 is not valid TOML/),
    ]);
    const home = await tempFolder();
    await mkdir(join(home, 'settings.toml'));
    await expect(loadSettings({ home }, {})).rejects.toThrow(/settings\.toml cannot be read \(EISDIR\)/);
  });

  it('are reported in one message', async () => {
    const home = await homeWith('port = -1\nmax_runs = 0\n');
    await expect(loadSettings({ home }, {})).rejects.toThrow(/port.*\n.*max_runs/s);
  });
});

describe('the addresses to listen on', () => {
  it.each([
    ['127.0.0.1', ['127.0.0.1']],
    ['127.0.0.53', ['127.0.0.53']],
    ['::1', ['::1']],
    ['localhost', ['127.0.0.1', '::1']],
    ['localhost,127.0.0.1', ['127.0.0.1', '::1']],
    ['::1,::1', ['::1']],
    ['0:0:0:0:0:0:0:1', ['::1']],
  ])('may be %s', async (text, addresses) => {
    expect((await load(undefined, { HOB_LISTEN: text })).listen).toEqual(addresses);
  });

  it.each([
    '0.0.0.0',
    '::',
    '192.168.1.5',
    '10.0.0.1',
    'example.com',
    '128.0.0.1',
    '127.1',
    '127.0.0.1.evil.test',
    '::ffff:127.0.0.1',
    '::2',
    '1127.0.0.1',
    '',
  ])('may not be %j, from any source', async (address) => {
    for (const found of [
      await problems(`listen = ["127.0.0.1", "${address}"]\n`),
      await problems(undefined, {}, { host: address }),
    ])
      expect(found).toEqual([expect.stringContaining('loopback')]);
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'fd00::2'])('may be %s with a token', async (address) => {
    for (const settings of [
      await load(`listen = ["${address}"]\ntoken = true\n`),
      await load(`listen = ["${address}"]\n`, { HOB_TOKEN: 'yes' }),
      await load('token = false\n', {}, { host: address, token: true }),
    ])
      expect(settings).toMatchObject({ listen: [address], token: true });
    expect(await problems(`listen = ["${address}"]\n`)).toEqual([expect.stringContaining('token = true')]);
    expect(await problems(`listen = ["${address}"]\ntoken = true\n`, { HOB_TOKEN: '0' })).toHaveLength(1);
  });

  it.each([
    ['"::0"', ['::']],
    ['"0.0.0.0", "::"', ['::']],
    ['"127.0.0.1", "::"', ['::']],
    ['"127.0.0.1", "0.0.0.0", "::1", "10.0.0.1"', ['0.0.0.0', '::1']],
    ['"FD00:0::2"', ['fd00::2']],
  ])('are not repeated with a token, also if one includes others: %s', async (list, addresses) => {
    expect((await load(`listen = [${list}]\ntoken = true\n`)).listen).toEqual(addresses);
  });

  it.each(['example.com', '0:0:0:0:0:ffff:7f00:1', '127.1', '::ffff:10.0.0.1', 'fe80::1%eth0', ''])(
    'may not be %j, with or without a token',
    async (address) => {
      expect(await problems(`listen = ["${address}"]\ntoken = true\n`)).toEqual([
        expect.stringContaining('is not an IP address'),
      ]);
    },
  );
});
