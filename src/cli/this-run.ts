import { readFile } from 'node:fs/promises';

import { parameterFileOfRun } from '../settings/run-variables.ts';
import { errnoOf } from '../shared/errors.ts';
import { findJsonHazard, isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { textOf, textsIn } from './answer-fields.ts';
import { language, tr } from './language.ts';
import { exitCodes, UserError } from './user-error.ts';

export const fileOption = [
  '--file <path>',
  tr(
    'parameter file, the first argument ("$1") of the script (default: HOB_PARAMETER_FILE)',
    '参数文件，即脚本中的 "$1"（默认：HOB_PARAMETER_FILE）',
  ),
] as const;

/** The run of the calling script. */
export interface ThisRun {
  readonly apiBase: string;
  readonly outputFile: string;
  readonly inputs: readonly string[];
  readonly params: JsonObject;
}

/** Reads the parameter file of the current run. Null if the script was not started by Hob. */
export async function findRun(flag: string | undefined): Promise<ThisRun | null> {
  const path = flag ?? parameterFileOfRun();
  if (path === null) return null;
  const run = runIn(await read(path));
  if (run !== null) return run;
  throw new UserError(
    tr(
      `${path} is not a parameter file. Pass the script's first argument: --file "$1"`,
      `${path} 不是参数文件。请传入脚本的第一个参数：--file "$1"`,
    ),
    exitCodes.usage,
  );
}

export async function needRun(flag: string | undefined): Promise<ThisRun> {
  const run = await findRun(flag);
  if (run !== null) return run;
  throw new UserError(
    tr(
      'This command works only inside a script that Hob runs. If HOB_PARAMETER_FILE is not set, pass the first argument of the script: --file "$1"',
      '此命令要在 Hob 运行的脚本中使用。如果没有 HOB_PARAMETER_FILE，请传入脚本的第一个参数：--file "$1"',
    ),
  );
}

async function read(path: string): Promise<Json> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const errno = errnoOf(error);
    throw new UserError(
      tr(`Cannot read the parameter file ${path} (${errno}).`, `无法读取参数文件 ${path}（${errno}）。`),
    );
  });
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function runIn(file: Json): ThisRun | null {
  if (!isJsonObject(file) || !isJsonObject(file.environment)) return null;
  const { environment, data, params } = file;
  const apiBase = textOf(environment.api_base);
  const outputFile = textOf(environment.output_json);
  if (apiBase === null || outputFile === null) return null;
  const values = isJsonObject(data) ? Object.values(data)[0] : data;
  return { apiBase, outputFile, inputs: textsIn(values), params: isJsonObject(params) ? params : {} };
}

/** Calls Hob in the name of the current run. Without `withinMs` there is no time limit, because a link may take hours. */
export async function callHob(
  { apiBase }: Pick<ThisRun, 'apiBase'>,
  path: string,
  { body, withinMs }: { body?: JsonObject; withinMs?: number } = {},
): Promise<JsonObject> {
  try {
    const answer = await fetch(apiBase + path, {
      headers: { 'accept-language': language, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      ...(withinMs !== undefined && { signal: AbortSignal.timeout(withinMs) }),
    });
    const said: Json = JSON.parse(await answer.text());
    return isJsonObject(said) ? said : {};
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    // Show only the origin: the path contains the run token, and messages are stored.
    const { origin } = new URL(apiBase);
    throw new UserError(
      tr(`No response from Hob at ${origin} (${reason}).`, `Hob 没有响应：${origin}（${reason}）。`),
    );
  }
}

/** A value for a shell: texts as they are, all other values as JSON. */
export function shownValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `name=text` or `name:=json`. */
interface Assignment {
  readonly name: string;
  readonly text: string;
  readonly isJson: boolean;
}

export function readAssignment(word: string): Assignment {
  const [, name, colon, text] = /^([^=]+?)(:?)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined && text !== undefined) return { name, text, isJson: colon === ':' };
  throw new UserError(
    tr(
      `Invalid value "${word}". Use name=text, or name:=json for numbers, lists and other JSON values.`,
      `“${word}” 的写法不对：文本写成 name=文本，数字、列表等写成 name:=JSON。`,
    ),
    exitCodes.usage,
  );
}

/** The values of an envelope. */
export function readValues(words: readonly string[]): JsonObject {
  const values: [string, Json][] = [];
  for (const word of words) {
    const { name, text, isJson } = readAssignment(word);
    if (name === 'code' || name === 'msg') throw reserved(name);
    values.push([name, isJson ? parseJson(name, text) : text]);
  }
  const hazard = findJsonHazard(Object.fromEntries(values));
  if (hazard === undefined) return Object.fromEntries(values);
  throw new UserError(
    tr(
      'Invalid envelope values: they are nested too deeply, or contain a name or number that is not allowed.',
      '这些值不能写入结果：嵌套太深，或者含有不允许的名称或数字。',
    ),
    exitCodes.usage,
  );
}

export function parseJson(name: string, text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError(
      tr(
        `Invalid JSON after ${name}:= ${text}\nFor a text, use ${name}=...`,
        `${name}:= 后面必须是 JSON，而这里是：${text}\n文本请写成 ${name}=...`,
      ),
      exitCodes.usage,
    );
  }
}

function reserved(name: 'code' | 'msg'): UserError {
  const command =
    name === 'code' ? 'hob envelope fail <message> --code <number>' : 'hob envelope ok --msg <text>';
  return new UserError(
    tr(`${name} is a reserved name. To set it, use: ${command}`, `${name} 不是自定义的值，请用：${command}`),
    exitCodes.usage,
  );
}
