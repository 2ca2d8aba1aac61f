import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

import type { Param, ScriptDetail } from '../contract/types.ts';
import { errnoOf } from '../shared/errors.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import { nearestName } from './find-script.ts';
import { tr } from './language.ts';
import { jsonOrText, paramValue } from './param-value.ts';
import { ask, canAsk } from './terminal/ask.ts';
import { paint } from './terminal/print.ts';
import { printable } from './terminal/text.ts';
import { exitCodes, UserError, usageError } from './user-error.ts';

interface ParamOptions {
  readonly param?: readonly string[];
  /** Whether params that the manifest does not declare are allowed. */
  readonly undeclared?: boolean;
}

/** Converts the params of the command line to the types that the manifest declares. */
export async function readParamArguments(
  script: ScriptDetail,
  { param: texts = [], undeclared = false }: ParamOptions,
  piped: PipedInput,
): Promise<JsonObject> {
  const params = new Map<string, Json>();
  for (const [name, values] of groupByName(texts)) {
    const param = script.params.find((each) => each.name === name);
    if (param === undefined && !undeclared) throw unknownParam(script, name);
    if (param?.secret === true && values.some(isPlain)) process.stderr.write(visibleWarning(name));
    const contents: string[] = [];
    for (const value of values) contents.push(await contentOf(name, value, piped));
    const [content = '', ...others] = contents;
    if (param !== undefined) params.set(name, paramValue(param, contents));
    else params.set(name, others.length > 0 ? contents.map(jsonOrText) : jsonOrText(content));
  }
  return Object.fromEntries(params);
}

function groupByName(texts: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at <= 0)
      throw usageError(
        `Invalid -p value "${printable(text)}": expected name=value.`,
        `-p 的格式是 名称=值，而不是 “${printable(text)}”。`,
      );
    const name = text.slice(0, at).trim();
    groups.set(name, [...(groups.get(name) ?? []), text.slice(at + 1)]);
  }
  return groups;
}

/** Whether the value itself is on the command line. */
function isPlain(value: string): boolean {
  return !value.startsWith('@') || value.startsWith('@@');
}

/** `@file` reads a file, `@-` reads stdin, and `@@` stands for a literal @ at the beginning. */
async function contentOf(name: string, value: string, piped: PipedInput): Promise<string> {
  if (value.startsWith('@@')) return value.slice(1);
  if (!value.startsWith('@')) return value;
  const path = value.slice(1);
  const content = path === '-' ? await piped.read() : await readText(name, path);
  return content.replace(/\r?\n$/, '');
}

async function readText(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const shown = printable(path);
    throw usageError(
      `Cannot read the value of ${name} from the file ${shown} (${errnoOf(error)}).\nIf the value itself begins with @, write @ twice: -p ${name}=@@${shown}`,
      `无法从文件 ${shown} 读取 ${name} 的值（${errnoOf(error)}）。\n如果值本身以 @ 开头，请写两个：-p ${name}=@@${shown}`,
    );
  }
}

function visibleWarning(name: string): string {
  return tr(
    `Note: ${name} is a secret. On the command line it is visible to other users of this machine and stays in your shell history.\nSafer: omit it to be prompted for it, or use -p ${name}=@file\n`,
    `注意：${name} 是机密：写在命令行里，本机其他用户可以看到，也会留在 shell 历史中。\n更安全的做法：省略它，由 hob 询问；或使用 -p ${name}=@文件\n`,
  );
}

function unknownParam({ name: script, params }: ScriptDetail, name: string): UserError {
  const [shown, title] = [printable(name), printable(script)];
  const names = params.map((param) => param.name);
  const nearest = nearestName(name, names);
  const meant = nearest === null ? '' : tr(` Did you mean ${nearest}?`, `是不是 ${nearest}？`);
  const there =
    names.length === 0
      ? tr('The script declares no params.', '它没有声明任何参数。')
      : tr(`Its params: ${names.join(', ')}.`, `它的参数有：${names.join('、')}。`);
  const what = tr(`${title} has no param "${shown}".`, `${title} 没有参数 “${shown}”。`);
  const way = tr(' To pass it anyway, use --undeclared.', '加上 --undeclared 可以传递未声明的参数。');
  return new UserError(`${what}${meant}\n${there}${way}`, exitCodes.usage);
}

export class PipedInput {
  #isTaken = false;

  async read(): Promise<string> {
    if (this.#isTaken)
      throw usageError(
        'stdin can be read only once: either for - or for one -p value.',
        '标准输入只能读取一次：要么用于 -，要么用于一个 -p 的值。',
      );
    this.#isTaken = true;
    return text(process.stdin);
  }
}

/** Prompts for missing required params and returns them together with the given ones. */
export async function askForMissing(script: ScriptDetail, given: JsonObject): Promise<JsonObject> {
  let params = given;
  for (const param of script.params) {
    if (!isMissing(param, script, params)) continue;
    if (!canAsk()) throw paramsMissing(script, given);
    const value = await askFor(param);
    if (value !== undefined) params = { ...params, [param.name]: value };
  }
  return params;
}

/** Prompts for one param until the input is valid. An empty input means no value; the service decides whether one is required. */
export async function askFor(param: Param): Promise<Json | undefined> {
  process.stderr.write(describeParam(param));
  for (;;) {
    const text = await ask(`${printable(param.name)}: `, { isSecret: param.secret });
    const isForText = param.type === 'str' && param.choices.length === 0 && !param.secret;
    if (text === '' && !isForText) return undefined;
    try {
      const { choices } = param;
      return paramValue(param, [choices.includes(text) ? text : (choices[Number(text) - 1] ?? text)]);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
}

function isMissing(param: Param, { params }: ScriptDetail, given: JsonObject): boolean {
  if (!param.required || param.default !== undefined || Object.hasOwn(given, param.name)) return false;
  const { when } = param;
  if (when === null) return true;
  const other = params.find(({ name }) => name === when.field);
  const value = Object.hasOwn(given, when.field) ? given[when.field] : other?.default;
  return isDeepStrictEqual(value, when.eq);
}

/** The description above the prompt. Choices are numbered, so that one digit is enough. */
function describeParam({ label, name, description, choices, choice_labels, secret }: Param): string {
  const title = [
    ...(label === name || label === '' ? [] : [label]),
    ...(description === null ? [] : [description]),
    ...(secret ? [tr('Your input is hidden.', '输入内容不会显示。')] : []),
  ]
    // Labels and descriptions come from manifests and may or may not end with a full stop.
    .map((text, index, all) => (index < all.length - 1 ? text.replace(/[.。]$/, '') : text))
    .join(tr('. ', '。'));
  const lines = choices.map((choice, index) => {
    const shown = choice_labels[choice];
    return `  ${index + 1}  ${choice}${shown === undefined ? '' : `  ${shown}`}`;
  });
  return [...(title === '' ? [] : [title]), ...lines]
    .map((line) => `${paint('dim', printable(line), process.stderr)}\n`)
    .join('');
}

function paramsMissing(script: ScriptDetail, given: JsonObject): UserError {
  const absent = script.params.filter((param) => isMissing(param, script, given));
  const names = absent.map(({ name }) => name).join(', ');
  const shown = absent.map(({ name, secret }) => `-p ${name}=${secret ? '@file' : '...'}`).join(' ');
  return usageError(
    `${printable(script.name)} requires ${names}, and there is no terminal to prompt on. Add: ${shown}`,
    `${printable(script.name)} 需要参数 ${names}，而这里没有终端可以询问。请加上：${shown}`,
  );
}
