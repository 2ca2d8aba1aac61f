import { readFile } from 'node:fs/promises';
import { isIP, isIPv6, SocketAddress } from 'node:net';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';

import { parse, TomlError } from 'smol-toml';
import Value from 'typebox/value';

import { isLoopback } from '../shared/addresses.ts';
import { ExplainedError, errnoOf } from '../shared/errors.ts';
import { fixedText, type Text } from '../shared/text.ts';
import { defaultSettings, kindOf } from './default-settings.ts';
import { resolveHome, settingsFile } from './home.ts';
import { parseHooksAddress } from './hooks-address.ts';
import {
  environmentName,
  removedSettings,
  type SettingName,
  type Settings,
  SettingsSchema,
  settingNames,
} from './schema.ts';
import {
  type HubSettings,
  hubSettings,
  huggingFaceCache,
  modelScopeCaches,
  userEnvironment,
} from './user-environment.ts';

/** The source of a value: the path of a file, or the name of a variable or flag. */
export interface SettingOrigin {
  readonly kind: 'file' | 'environment' | 'flag';
  readonly name: string;
}

/** Flags of `hob serve`. */
export interface Flags {
  home?: string | undefined;
  host?: string | undefined;
  port?: string | undefined;
  hooksListen?: string | undefined;
  scripts?: string[] | undefined;
  logLevel?: string | undefined;
  token?: boolean | undefined;
}

export interface LoadedSettings extends Settings {
  home: string;
  /** The environment that scripts inherit. */
  environment: Record<string, string>;
  huggingFaceCache: string;
  modelScopeCaches: { current: string; old: string };
  /** Addresses of the hubs, and the folders for downloads. */
  hubs: HubSettings;
  /** The source of each setting that is not a default. */
  origins: ReadonlyMap<SettingName, SettingOrigin>;
  /** Messages about settings that have no effect. */
  notes: readonly Text[];
}

/** All problems of the settings. Each names the place to correct it. */
export class SettingsError extends ExplainedError {
  readonly problems: readonly Text[];
  constructor(problems: readonly Text[]) {
    const listed = (language: keyof Text) => problems.map((problem) => `  - ${problem[language]}`).join('\n');
    super({ en: `The settings are not valid:\n${listed('en')}`, zh: `设置无效：\n${listed('zh')}` });
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** A value and its source. */
type Sourced = { value: unknown; source: Text; origin: SettingOrigin };

/** Defaults, overridden by settings.toml in the home, then by the environment, then by flags. */
export async function loadSettings(
  flags: Flags,
  env: NodeJS.ProcessEnv = process.env,
): Promise<LoadedSettings> {
  const home = resolveHome(flags.home, env);
  const problems: Text[] = [];
  const notes: Text[] = [];
  // Later sources override earlier ones. Overridden values are checked too.
  const given = [
    ...(await fromFile(settingsFile(home), { problems, notes })),
    ...fromEnvironment(env, { problems, notes }),
    ...fromFlags(flags),
  ];

  const settings: Record<string, unknown> = { ...defaultSettings };
  const origins = new Map<SettingName, SettingOrigin>();
  for (const [name, { value, source, origin }] of given) {
    settings[name] = value;
    origins.set(name, origin);
    if (!isValid(name, value)) {
      // The value may be a secret: some users write the token itself here, and an address may contain a password.
      const isSecret =
        name === 'token' ||
        name === 'notify_url' ||
        (name.endsWith('_endpoint') && String(value).includes('@'));
      const { en, zh } = expectation(name);
      const shown = JSON.stringify(value);
      problems.push({
        en: `${source.en}: ${en}${isSecret ? '' : `, but it is ${shown}`}`,
        zh: `${source.zh}：${zh}${isSecret ? '' : `，现在是 ${shown}`}`,
      });
    }
  }
  const hasToken = settings.token === true;
  for (const [name, { value, source }] of given) {
    if (name === 'listen') problems.push(...listenProblems(value, source, hasToken));
  }
  if (problems.length > 0 || !Value.Check(SettingsSchema, settings)) throw new SettingsError(problems);

  const scripts = [...settings.scripts, ...(flags.scripts ?? [])].map((folder) => resolve(folder));
  if (scripts.length > settings.scripts.length) origins.set('scripts', { kind: 'flag', name: '--scripts' });
  const addresses = settings.listen.flatMap((address) =>
    address === 'localhost' ? defaultSettings.listen : [canonical(address)],
  );
  return {
    ...settings,
    listen: withoutCovered([...new Set(addresses)]),
    scripts: [...new Set(scripts)],
    model_folders: [...new Set(settings.model_folders.map((folder) => resolve(folder)))],
    home,
    environment: userEnvironment(env),
    huggingFaceCache: huggingFaceCache(env, homedir()),
    modelScopeCaches: modelScopeCaches(env, homedir()),
    hubs: hubSettings(env, homedir(), settings),
    origins,
    notes,
  };
}

function isValid(name: SettingName, value: unknown): boolean {
  if (!Value.Check(SettingsSchema.properties[name], value)) return false;
  if (value === '') return true;
  if (name === 'hooks_listen') return parseHooksAddress(String(value)) !== null;
  // The pattern of the schema allows a port such as 99999.
  return name !== 'notify_url' || URL.canParse(String(value));
}

/** Problems prevent the start; notes do not. */
interface Remarks {
  readonly problems: Text[];
  readonly notes: Text[];
}

async function fromFile(path: string, { problems, notes }: Remarks): Promise<[SettingName, Sourced][]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    // prepareHome reports an unusable home.
    const isAbsent = errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
    if (!isAbsent)
      problems.push({
        en: `${path} cannot be read (${errnoOf(error)})`,
        zh: `无法读取 ${path}（${errnoOf(error)}）`,
      });
    return [];
  }
  let table: Record<string, unknown>;
  try {
    table = parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const line = error instanceof TomlError ? `:${error.line}` : '';
    const reason = error instanceof Error ? firstLine(error.message) : String(error);
    problems.push({
      en: `${path}${line} is not valid TOML: ${reason}`,
      zh: `${path}${line} 不是有效的 TOML：${reason}`,
    });
    return [];
  }
  const chosen: [SettingName, Sourced][] = [];
  for (const [key, value] of Object.entries(table)) {
    const name = settingNames.find((known) => known === key);
    const source = { en: `${key} in ${path}`, zh: `${path} 中的 ${key}` };
    const known = settingNames.join(', ');
    const origin = { kind: 'file', name: path } as const;
    if (name) chosen.push([name, { value: fromTable(name, value, path), source, origin }]);
    else if (removedSettings.includes(key)) notes.push(removedNote(source));
    else
      problems.push({
        en: `${path}: unknown setting ${key}; the known settings are ${known}`,
        zh: `${path}：没有设置 ${key}；可用的设置有 ${known}`,
      });
  }
  return chosen;
}

function removedNote({ en, zh }: Text): Text {
  return {
    en: `${en}: this setting was removed and is ignored. Delete it, because the next release refuses it`,
    zh: `${zh}：此设置已取消，本版本将其忽略。请将其删除：下一版本会拒绝它`,
  };
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
}

/** A relative folder in the file is relative to the file, not to the working directory. */
function fromTable(name: SettingName, value: unknown, path: string): unknown {
  if (name === 'hooks_listen' && typeof value === 'number') return String(value);
  const isFolders = name === 'scripts' || name === 'model_folders';
  if (!isFolders || !Array.isArray(value)) return value;
  return value.map((folder) => (typeof folder === 'string' ? resolve(dirname(path), folder) : folder));
}

/** HOB_ variables that are not settings: the home, and the variables of scripts, which a Hob started by a script inherits. */
const otherVariables = new Set(['HOB_HOME', 'HOB_RUN_ID', 'HOB_PARAMETER_FILE', 'HOB_NODE', 'HOB_API_BASE']);

function fromEnvironment(env: NodeJS.ProcessEnv, { problems, notes }: Remarks): [SettingName, Sourced][] {
  const given: [SettingName, Sourced][] = [];
  const known = settingNames.map(environmentName).join(', ');
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('HOB_') || otherVariables.has(variable) || text === undefined || text === '')
      continue;
    const name = settingNames.find((known) => environmentName(known) === variable);
    const origin = { kind: 'environment', name: variable } as const;
    if (name) given.push([name, { value: fromText(name, text), source: fixedText(variable), origin }]);
    else if (removedSettings.some((removed) => environmentName(removed) === variable))
      notes.push(removedNote(fixedText(variable)));
    else
      problems.push({
        en: `${variable}: unknown setting; the known settings are ${known}`,
        zh: `${variable}：没有这个设置；可用的设置有 ${known}`,
      });
  }
  return given;
}

function fromFlags(flags: Flags): [SettingName, Sourced][] {
  const chosen: [SettingName, Sourced][] = [];
  const choose = (name: SettingName, flag: string, value: unknown) =>
    chosen.push([name, { value, source: fixedText(flag), origin: { kind: 'flag', name: flag } }]);
  if (flags.host !== undefined) choose('listen', '--host', [flags.host]);
  if (flags.port !== undefined) choose('port', '--port', fromText('port', flags.port));
  if (flags.hooksListen !== undefined) choose('hooks_listen', '--hooks-listen', flags.hooksListen);
  if (flags.logLevel !== undefined) choose('log_level', '--log-level', flags.logLevel);
  if (flags.token !== undefined) choose('token', '--token', flags.token);
  return chosen;
}

const truths = new Map<string, boolean>(
  Object.entries({ true: true, 1: true, yes: true, on: true, false: false, 0: false, no: false, off: false }),
);

/** Converts the text of a variable or flag: to a number for number settings, to a list at commas for list settings. */
function fromText(name: SettingName, text: string): unknown {
  switch (kindOf(name)) {
    case 'number':
      return text.trim() === '' ? text : Number.isNaN(Number(text)) ? text : Number(text);
    case 'list':
      return text.split(',').map((item) => item.trim());
    case 'truth':
      return truths.get(text.trim().toLowerCase()) ?? text;
    case 'text':
      return text;
  }
}

/** Every caller can run scripts, so other addresses than loopback require a token. */
function listenProblems(value: unknown, source: Text, hasToken: boolean): Text[] {
  const addresses = Array.isArray(value) ? value.map(String) : [];
  return addresses
    .filter((address) => address !== 'localhost' && !isLoopback(canonical(address)))
    .flatMap((address) => {
      if (!isPlainAddress(address)) {
        const shown = JSON.stringify(address);
        return {
          en: `${source.en}: ${shown} is not an IP address, such as 127.0.0.1 (the loopback address) or ::1; the port is a separate setting`,
          zh: `${source.zh}：${shown} 不是 IP 地址，例如 127.0.0.1（本机地址）或 ::1；端口是单独的设置`,
        };
      }
      if (hasToken) return [];
      return {
        en: `${source.en}: without a token, Hob listens on loopback addresses only (127.0.0.1, ::1), not on ${address}, because every caller can run scripts. Also set token = true (or --token); callers must then send the token that \`hob token\` prints`,
        zh: `${source.zh}：没有令牌时，Hob 只监听本机地址（127.0.0.1、::1），不监听 ${address}：能连上的人都可以运行脚本。请同时设置 token = true（或 --token），调用方须出示 \`hob token\` 显示的令牌`,
      };
    });
}

/** Rejects addresses with a zone and IPv4-mapped IPv6 addresses, because no Host header repeats them. */
function isPlainAddress(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && !canonical(address).startsWith('::ffff:');
}

/** IPv6 addresses have several spellings. */
function canonical(address: string): string {
  return isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}

/** A wildcard address covers all addresses of its family; `::` also covers IPv4. */
function withoutCovered(addresses: string[]): string[] {
  if (addresses.includes('::')) return ['::'];
  if (!addresses.includes('0.0.0.0')) return addresses;
  return ['0.0.0.0', ...addresses.filter((address) => isIPv6(address))];
}

/** Describes the valid values of a setting, for the message about an invalid one. */
function expectation(name: SettingName): Text {
  const schema: Record<string, unknown> = { ...SettingsSchema.properties[name] };
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum.join(', ');
    return { en: `${name} must be one of ${choices}`, zh: `${name} 必须是以下之一：${choices}` };
  }
  return special(name) ?? usual(name, schema);
}

function special(name: SettingName): Text | null {
  switch (name) {
    case 'extra_hosts':
      return {
        en: 'extra_hosts must be a list of values of the Host header, such as hob.local:9527',
        zh: 'extra_hosts 必须是 Host 请求头取值的列表，例如 hob.local:9527',
      };
    case 'trusted_origins':
      return {
        en: 'trusted_origins must be a list of origins, such as http://localhost:3000, with nothing after the host and port',
        zh: 'trusted_origins 必须是来源（origin）的列表，例如 http://localhost:3000，主机和端口之后不能有其他内容',
      };
    case 'listen':
      return {
        en: 'listen must be a list of strings with at least one address',
        zh: 'listen 必须是字符串列表，至少包含一个地址',
      };
    case 'terminal_command':
      return {
        en: 'terminal_command must be a list of strings, a program and its arguments, none of them empty or with a NUL character',
        zh: 'terminal_command 必须是字符串列表，即程序及其参数，每一项都不能为空或含有 NUL 字符',
      };
    case 'huggingface_endpoint':
    case 'modelscope_endpoint':
      return {
        en: `${name} must be a URL, such as https://huggingface.co, or empty`,
        zh: `${name} 必须是网址，例如 https://huggingface.co，或者留空`,
      };
    case 'notify_url':
      return {
        en: 'notify_url must be a URL, such as https://ntfy.sh/my-topic, or empty',
        zh: 'notify_url 必须是网址，例如 https://ntfy.sh/my-topic，或者留空',
      };
    case 'hooks_listen':
      return {
        en: 'hooks_listen must be an IP address and a port, such as 127.0.0.1:8790 or [::1]:8790, or a port alone, or empty',
        zh: 'hooks_listen 必须是 IP 地址加端口，例如 127.0.0.1:8790 或 [::1]:8790，也可以只写端口，或者留空',
      };
    case 'token':
      return {
        en: 'token must be true or false; the token itself is in a separate file, and `hob token` prints it',
        zh: 'token 必须是 true 或 false；令牌本身保存在单独的文件中，可用 `hob token` 查看',
      };
    default:
      return null;
  }
}

function usual(name: SettingName, { type, minimum, maximum }: Record<string, unknown>): Text {
  switch (kindOf(name)) {
    case 'list':
      return { en: `${name} must be a list of strings`, zh: `${name} 必须是字符串列表` };
    case 'truth':
      return { en: `${name} must be true or false`, zh: `${name} 必须是 true 或 false` };
    case 'number':
    case 'text': {
      const isWhole = type === 'integer';
      return {
        en: `${name} must be ${isWhole ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`,
        zh: `${name} 必须是 ${minimum} 到 ${maximum} 之间的${isWhole ? '整数' : '数字'}`,
      };
    }
  }
}
