import { readFile } from 'node:fs/promises';

import { errnoOf } from '../../shared/errors.ts';
import type { Json, JsonObject } from '../../shared/json.ts';
import { tr } from '../language.ts';
import { nearestName } from '../nearest-name.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { jsonOrText, paramValue } from './param-value.ts';
import type { PipedInput } from './read-stdin.ts';
import type { ScriptShape, ShownParam } from './script-shape.ts';

interface ParamArguments {
  /** The `name=value` arguments. */
  readonly texts: readonly string[];
  /** Whether params that the manifest does not declare are allowed. */
  readonly allowsUndeclared: boolean;
  readonly piped: PipedInput;
  /** Prints a warning. */
  readonly warn: (text: string) => void;
}

/** Converts the params of the command line to the types that the manifest declares. */
export async function readParamArguments(
  script: ScriptShape,
  { texts, allowsUndeclared, piped, warn }: ParamArguments,
): Promise<JsonObject> {
  const params = new Map<string, Json>();
  for (const [name, values] of groupByName(texts)) {
    const param = script.params.find((each) => each.name === name);
    if (param === undefined && !allowsUndeclared) throw unknownParam(script, name);
    if (param?.isSecret === true && values.some(isPlain)) warn(visibleText(name));
    const contents: string[] = [];
    for (const value of values) contents.push(await contentOf(name, value, piped));
    params.set(name, param === undefined ? undeclaredValue(contents) : paramValue(param, contents));
  }
  return Object.fromEntries(params);
}

function groupByName(texts: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at <= 0)
      throw new UserError(
        tr(
          `Invalid -p value "${printable(text)}": expected name=value.`,
          `-p 的格式是 名称=值，而不是 “${printable(text)}”。`,
        ),
        exitCodes.usage,
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
  const text = path === '-' ? await piped.read() : await readText(name, path);
  return text.replace(/\r?\n$/, '');
}

async function readText(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const shown = printable(path);
    throw new UserError(
      tr(
        `Cannot read the value of ${name} from the file ${shown} (${errnoOf(error)}).\nIf the value itself begins with @, write @ twice: -p ${name}=@@${shown}`,
        `无法从文件 ${shown} 读取 ${name} 的值（${errnoOf(error)}）。\n如果值本身以 @ 开头，请写两个：-p ${name}=@@${shown}`,
      ),
      exitCodes.usage,
    );
  }
}

function undeclaredValue(texts: readonly string[]): Json {
  const [text = '', ...others] = texts;
  return others.length > 0 ? texts.map(jsonOrText) : jsonOrText(text);
}

function visibleText(name: string): string {
  return tr(
    `${name} is a secret. On the command line it is visible to other users of this machine and stays in your shell history.\nSafer: omit it to be prompted for it, or use -p ${name}=@file`,
    `${name} 是机密：写在命令行里，本机其他用户可以看到，也会留在 shell 历史中。\n更安全的做法：省略它，由 hob 询问；或使用 -p ${name}=@文件`,
  );
}

function unknownParam({ name: script, params }: ScriptShape, name: string): UserError {
  const [shown, title] = [printable(name), printable(script)];
  const names = params.map((param: ShownParam) => param.name);
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
