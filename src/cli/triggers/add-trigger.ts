import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import type {
  ScriptDetail,
  Trigger,
  TriggerChecked,
  TriggerList,
  TriggerSuggestion,
} from '../../contract/types.ts';
import { expandHome } from '../../shared/expand-home.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { quoteWord } from '../command-lines.ts';
import { findScript } from '../find-script.ts';
import { tr } from '../language.ts';
import type { CommonOptions } from '../options.ts';
import { poll } from '../poll.ts';
import { askForMissing, PipedInput, readParamArguments } from '../read-params.ts';
import { RefusedError, ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { exitCodes, UserError, usageError } from '../user-error.ts';
import { describeCheck } from './describe-triggers.ts';
import { describeNewSecret, type NewSecret, provideSecret, removeNewSecret } from './webhook-secret.ts';

/** The options of `hob triggers add`, as commander names them. */
export interface AddOptions extends CommonOptions {
  cron?: string;
  timezone?: string;
  every?: string;
  missed?: string;
  missedWithin?: string;
  overlap?: string;
  jitter?: string;
  folder?: string;
  recursive?: boolean;
  filter?: string[];
  settle?: string;
  batch?: string;
  after?: string;
  webhook?: boolean;
  signature?: string;
  secret?: string;
  newSecret?: boolean;
  into?: string;
  from?: string;
  id?: string;
  param?: string[];
  undeclared?: boolean;
  data?: string[];
  attempts?: number;
  backoff?: string;
  paused?: boolean;
  dryRun?: boolean;
}

type Kind = TriggerSuggestion['kind'];

/** `hob triggers add`: checks a trigger, and stores it unless this is a dry run. */
export async function addTrigger(wanted: string, options: AddOptions): Promise<void> {
  refuseEmpty(options);
  // Without a number of attempts there is only one, so the backoff would have no effect.
  if (options.backoff !== undefined && options.attempts === undefined) throw backoffAlone(options.backoff);
  const client = await ServiceClient.find(options.home);
  const script = await findScript(client, wanted);
  const list = await client.get<TriggerList>('/api/triggers');
  const suggestion = suggestionOf(script, options, list);
  const kind = suggestion?.kind ?? kindOf(options);
  const id = options.id ?? freeId(script, options.from, list);
  if (options.id !== undefined && list.items.some((other) => other.id === id)) throw idTaken(id);
  const fields = await fieldsOf(options, { script, kind, suggestion, id });
  const checked = await client.post<TriggerChecked>('/api/triggers/check', { id, ...fields });
  const mistakes = checked.problems.filter(({ field }) => kind !== 'webhook' || field !== 'secret');
  if (mistakes.length > 0) throw unusable(mistakes);
  if (options.dryRun === true) return showCheck(id, checked, options);
  const secret = kind === 'webhook' ? await provideSecret(client, secretOf(fields), options) : null;
  const isNamed = options.id !== undefined || kind === 'webhook';
  const create = isNamed
    ? createTrigger(client, id, fields)
    : createUnderFreeId(client, { script, options, list }, fields);
  const made = await create.catch(async (error) => {
    await removeNewSecret(client, secret);
    throw error;
  });
  if (options.json === true) return printJson(secret === null ? made : { ...made, new_secret: secret.value });
  process.stdout.write(describeMade(await withFolderProblem(client, made), list.file, secret));
}

function createTrigger(client: ServiceClient, id: string, fields: JsonObject): Promise<Trigger> {
  return client.create<Trigger>(`/api/triggers/${encodeURIComponent(id)}`, fields);
}

/** Another command may create a trigger with the same free id at the same time. */
async function createUnderFreeId(
  client: ServiceClient,
  { script, options, list }: { script: ScriptDetail; options: AddOptions; list: TriggerList },
  fields: JsonObject,
): Promise<Trigger> {
  try {
    return await createTrigger(client, freeId(script, options.from, list), fields);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== 'trigger-exists') throw error;
    const current = await client.get<TriggerList>('/api/triggers');
    return createUnderFreeId(client, { script, options, list: current }, fields);
  }
}

/** A shell variable that is not set makes an empty option. As a path, it would mean the current folder. */
function refuseEmpty({ home: _home, data: _data, param: _param, ...options }: AddOptions): void {
  for (const [name, value] of Object.entries(options))
    if ([value].flat().includes(''))
      throw emptyOption(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

function emptyOption(name: string): UserError {
  return usageError(
    `The value of --${name} is empty. Write one, or omit the option.`,
    `--${name} 的值为空。请填写，或去掉该选项。`,
  );
}

const firstLook = { everyMs: 50, withinMs: 3000 };

/** The service looks at a folder only after it has answered. If the folder is missing, waits for the problem that it finds. */
async function withFolderProblem(client: ServiceClient, made: Trigger): Promise<Trigger> {
  const path = folderOf(made);
  if (path === null || made.state === 'off' || made.problems.length > 0) return made;
  const isFolder = await stat(expandHome(path)).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return made;
  const looked = await poll(async () => {
    const trigger = await client.get<Trigger>(`/api/triggers/${encodeURIComponent(made.id)}`);
    return trigger.problems.length > 0 ? trigger : null;
  }, firstLook);
  return looked ?? made;
}

/** The folder of a folder trigger. */
function folderOf({ kind, values: { path } }: Trigger): string | null {
  return kind === 'folder' && typeof path === 'string' ? path : null;
}

/** The suggestion that the user names; null without --from. */
function suggestionOf(
  script: ScriptDetail,
  { from, ...options }: AddOptions,
  list: TriggerList,
): TriggerSuggestion | null {
  if (from === undefined) return null;
  const name = from.replace(/^package:/, '');
  const offered = list.suggestions.filter(({ script_id }) => script_id === script.id);
  const given = isKindGiven(options) ? kindOf(options) : null;
  const found = offered.find((one) => one.name === name && (given === null || one.kind === given));
  if (found !== undefined) return found;
  const names = offered.map((one) => printable(one.name));
  throw usageError(
    names.length === 0
      ? `The manifest of ${printable(script.name)} suggests no triggers. Omit --from.`
      : `The manifest of ${printable(script.name)} suggests no ${given ?? 'trigger'} "${printable(name)}". It suggests: ${names.join(', ')}.`,
    names.length === 0
      ? `${printable(script.name)} 的清单没有建议任何触发器，请去掉 --from。`
      : `${printable(script.name)} 的清单没有建议名为 “${printable(name)}” 的触发器。可用的建议：${names.join('、')}。`,
  );
}

function isKindGiven({ cron, every, folder, webhook }: AddOptions): boolean {
  return cron !== undefined || every !== undefined || folder !== undefined || webhook === true;
}

function kindOf({ cron, every, folder, webhook }: AddOptions): Kind {
  const kinds: Kind[] = [];
  if (cron !== undefined || every !== undefined) kinds.push('schedule');
  if (folder !== undefined) kinds.push('folder');
  if (webhook === true) kinds.push('webhook');
  const [kind, ...others] = kinds;
  if (kind !== undefined && others.length === 0) return kind;
  throw usageError(
    kind === undefined
      ? 'What starts the script? Add one of: --cron "30 2 * * *", --every 15m, --folder <folder>, --webhook'
      : 'A trigger has one kind. Use only one of --cron or --every, --folder, and --webhook.',
    kind === undefined
      ? '由什么来启动脚本？请加上其中之一：--cron "30 2 * * *"、--every 15m、--folder <文件夹>、--webhook'
      : '一个触发器只有一种类型：--cron 或 --every、--folder、--webhook 只能用一种。',
  );
}

const longestId = 64;

/** The slug of the script, with the name of the suggestion, and with a number if another trigger has this id. */
function freeId({ slug }: ScriptDetail, from: string | undefined, { items }: TriggerList): string {
  const base = [slug, (from ?? '').replace(/^package:/, '')]
    .map((part) =>
      part
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, ''),
    )
    .filter((part) => part !== '')
    .join('-');
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `-${number}`;
    const id = base.slice(0, longestId - ending.length).replace(/-$/, '') + ending;
    if (!items.some((other) => other.id === id)) return id;
  }
}

interface Wanted {
  readonly script: ScriptDetail;
  readonly kind: Kind;
  readonly suggestion: TriggerSuggestion | null;
  readonly id: string;
}

/** The fields of the entry. It has no field for an option that was omitted, so that the defaults and the suggestion apply. */
async function fieldsOf(options: AddOptions, { script, kind, suggestion, id }: Wanted): Promise<JsonObject> {
  const { attempts, backoff } = options;
  const into = options.into ?? textIn(suggestion, 'into') ?? 'event';
  const suggested =
    suggestion !== null && isJsonObject(suggestion.values.params) ? suggestion.values.params : {};
  const given = await readParamArguments(script, options, new PipedInput());
  const known: JsonObject = { ...suggested, ...given };
  // A delivery fills this param.
  const all = await askForMissing(script, kind === 'webhook' ? { ...known, [into]: {} } : known);
  const params = Object.fromEntries(
    Object.entries(all).filter(([name]) => name in known || kind !== 'webhook' || name !== into),
  );
  warnOfSecrets(script, params);
  const hasParams = Object.keys(params).length > 0 && JSON.stringify(params) !== JSON.stringify(suggested);
  const values: readonly (readonly [string, Json | undefined])[] = [
    ['script', script.slug],
    ['kind', kind],
    ['from', suggestion === null ? undefined : `package:${suggestion.name}`],
    ['enabled', options.paused === true ? false : undefined],
    ['cron', options.cron],
    ['every', options.every],
    ['timezone', options.timezone],
    ['missed', options.missed],
    ['missed_within', options.missedWithin],
    ['overlap', options.overlap],
    ['jitter', options.jitter],
    ['path', options.folder === undefined ? undefined : folderPath(options.folder)],
    ['recursive', options.recursive],
    ['filters', options.filter],
    ['settle', options.settle],
    ['batch', options.batch],
    ['after', options.after],
    ['signature', options.signature],
    ['secret', kind === 'webhook' ? (options.secret ?? textIn(suggestion, 'secret') ?? id) : options.secret],
    ['into', options.into],
    ['data', options.data === undefined ? undefined : inputData(script, options.data)],
    ['params', hasParams ? params : undefined],
    [
      'retries',
      attempts === undefined && backoff === undefined
        ? undefined
        : { ...(attempts !== undefined && { attempts }), ...(backoff !== undefined && { backoff }) },
    ],
  ];
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The service expands a `~` that the shell has left, as in `--folder=~/Inbox`. */
function folderPath(folder: string): string {
  return expandHome(folder) === folder ? resolve(folder) : folder;
}

function textIn(suggestion: TriggerSuggestion | null, name: string): string | undefined {
  const value = suggestion?.values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of --data as the main input of a script. */
export function inputData({ name, input }: ScriptDetail, values: readonly string[]): Json {
  const title = printable(name);
  if (input === null)
    throw usageError(`${title} has no main input. Omit --data.`, `${title} 没有主输入，请去掉 --data。`);
  if (input.type === 'str' && values.length > 1)
    throw usageError(
      `${title} accepts one input value (${input.name}), but got ${values.length}.`,
      `${title} 只接受一个值（${input.name}），却给了 ${values.length} 个。`,
    );
  if (input.pick !== null && values.includes('')) throw emptyOption('data');
  // The script has another working directory.
  return input.pick === null ? [...values] : values.map((value) => resolve(value));
}

function warnOfSecrets({ params: declared }: ScriptDetail, params: JsonObject): void {
  for (const { name, secret } of declared)
    if (secret && Object.hasOwn(params, name))
      process.stderr.write(
        tr(
          `Note: ${name} is a secret. triggers.toml contains it as plain text; only you can read that file.\n`,
          `注意：${name} 是机密。它会以明文保存在 triggers.toml 中，该文件只有您本人可以读取。\n`,
        ),
      );
}

function secretOf({ secret, signature }: JsonObject): { name: string; signature: string } {
  return { name: String(secret), signature: typeof signature === 'string' ? signature : 'token' };
}

function idTaken(id: string): UserError {
  return usageError(
    `There already is a trigger "${printable(id)}". Choose another --id, or remove that one: hob triggers remove ${quoteWord(id)}`,
    `已有名为 “${printable(id)}” 的触发器。请换一个 --id，或删除原有的：hob triggers remove ${quoteWord(id)}`,
  );
}

function backoffAlone(backoff: string): UserError {
  const example = `--attempts 3 --backoff ${printable(quoteWord(backoff))}`;
  return usageError(
    `--backoff needs --attempts: without it, a run that fails is not tried again. For example: ${example}`,
    `--backoff 须与 --attempts 一起使用，否则失败的运行不会再次尝试。例如：${example}`,
  );
}

function unusable(problems: TriggerChecked['problems']): UserError {
  const lines = problems.map(({ message, advice }) => `${message}${tr('.', '。')} ${advice}`);
  return new UserError(printable(lines.join('\n')), exitCodes.usage);
}

function showCheck(
  id: string,
  { words, next, problems }: TriggerChecked,
  { json }: Pick<AddOptions, 'json'>,
): void {
  if (json === true) printJson({ id, words, next, problems });
  else {
    const notes = problems.map(
      ({ message }) => `${tr('Note: ', '提示：')}${printable(message)}${tr('.', '。')}\n`,
    );
    process.stdout.write(
      describeCheck({ words, next }) + notes.join('') + tr('Nothing was stored.\n', '没有保存任何内容。\n'),
    );
  }
}

function describeMade(made: Trigger, file: string, secret: NewSecret | null): string {
  const { id, problems, state, address } = made;
  const lines = [
    tr(`Added the trigger ${id} to ${printable(file)}`, `已把触发器 ${id} 添加到 ${printable(file)}`),
    describeCheck(made).trimEnd(),
    ...(address === null
      ? []
      : [`${tr('Address for the sender: ', '发送方使用的地址：')}${printable(address)}`]),
    ...(secret === null ? [] : describeNewSecret(secret)),
    ...problems.flatMap(({ message, advice }) => [
      `${tr('It does not work yet: ', '目前还不能工作：')}${printable(message)}${tr('.', '。')}`,
      `  ${printable(advice)}`,
    ]),
    state === 'off'
      ? tr(
          `It is paused. To switch it on: hob triggers resume ${id}`,
          `触发器处于暂停状态。开启：hob triggers resume ${id}`,
        )
      : howToTry(made),
  ];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

function howToTry(made: Trigger): string {
  const fire = `hob triggers fire ${made.id}`;
  const path = folderOf(made);
  if (path !== null) {
    const place = printable(path);
    return tr(`To try it now, copy a file to ${place}`, `现在试一次：把一个文件复制到 ${place}`);
  }
  return made.kind === 'webhook'
    ? tr(`To try its script with an empty delivery: ${fire}`, `用空请求试运行脚本：${fire}`)
    : tr(`To try it now: ${fire}`, `现在试一次：${fire}`);
}
