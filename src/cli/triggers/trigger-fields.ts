import { resolve } from 'node:path';

import type { ScriptDetail, TriggerList, TriggerSuggestion } from '../../contract/types.ts';
import { expandHome } from '../../shared/expand-home.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { quoteWord } from '../command-lines.ts';
import { tr } from '../language.ts';
import type { CommonOptions } from '../options.ts';
import { askForMissing, PipedInput, readParamArguments } from '../read-params.ts';
import { printable } from '../terminal/text.ts';
import { type UserError, usageError } from '../user-error.ts';

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

/** Refuses options that would have no effect, or another one than their user wants. */
export function checkOptions({ home: _home, data: _data, param: _param, ...options }: AddOptions): void {
  // A shell variable that is not set makes an empty option. As a path, it would mean the current folder.
  for (const [name, value] of Object.entries(options))
    if ([value].flat().includes(''))
      throw emptyOption(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  // Without a number of attempts there is only one.
  if (options.backoff !== undefined && options.attempts === undefined) throw backoffAlone(options.backoff);
}

/** The suggestion that the user names; null without --from. */
export function suggestionOf(
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

export function kindOf({ cron, every, folder, webhook }: AddOptions): Kind {
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

interface Wanted {
  readonly script: ScriptDetail;
  readonly kind: Kind;
  readonly suggestion: TriggerSuggestion | null;
  readonly id: string;
}

/** The fields of the entry. It has no field for an option that was omitted, so that the defaults and the suggestion apply. */
export async function fieldsOf(
  options: AddOptions,
  { script, kind, suggestion, id }: Wanted,
): Promise<JsonObject> {
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

function backoffAlone(backoff: string): UserError {
  const example = `--attempts 3 --backoff ${printable(quoteWord(backoff))}`;
  return usageError(
    `--backoff needs --attempts: without it, a run that fails is not tried again. For example: ${example}`,
    `--backoff 须与 --attempts 一起使用，否则失败的运行不会再次尝试。例如：${example}`,
  );
}

function emptyOption(name: string): UserError {
  return usageError(
    `The value of --${name} is empty. Write one, or omit the option.`,
    `--${name} 的值为空。请填写，或去掉该选项。`,
  );
}
