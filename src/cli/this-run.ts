import { readFile } from 'node:fs/promises';

import type { Call } from '../client/connection.ts';
import { parameterFileOfRun } from '../settings/run-variables.ts';
import { errnoOf } from '../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject, tryParseJson } from '../shared/json.ts';
import { language } from './language.ts';
import { usageError, userError } from './user-error.ts';

export const fileOption = {
  '--file <path>': [
    'parameter file, the first argument ("$1") of the script (default: HOB_PARAMETER_FILE)',
    '参数文件，即脚本中的 "$1"（默认：HOB_PARAMETER_FILE）',
  ],
} as const;

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
  const run = await read(path);
  if (run !== null) return run;
  throw usageError(
    `${path} is not a parameter file. Pass the script's first argument: --file "$1"`,
    `${path} 不是参数文件。请传入脚本的第一个参数：--file "$1"`,
  );
}

export async function needRun(flag: string | undefined): Promise<ThisRun> {
  const run = await findRun(flag);
  if (run !== null) return run;
  throw userError(
    'This command works only inside a script that Hob runs. If HOB_PARAMETER_FILE is not set, pass the first argument of the script: --file "$1"',
    '此命令要在 Hob 运行的脚本中使用。如果没有 HOB_PARAMETER_FILE，请传入脚本的第一个参数：--file "$1"',
  );
}

async function read(path: string): Promise<ThisRun | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const errno = errnoOf(error);
    throw userError(
      `Cannot read the parameter file ${path} (${errno}).`,
      `无法读取参数文件 ${path}（${errno}）。`,
    );
  });
  const file = tryParseJson(text);
  if (!isJsonObject(file) || !isJsonObject(file.environment)) return null;
  const { environment, data, params } = file;
  const { api_base: apiBase, output_json: outputFile } = environment;
  if (typeof apiBase !== 'string' || typeof outputFile !== 'string') return null;
  const values = isJsonObject(data) ? Object.values(data)[0] : data;
  const inputs = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
  return { apiBase, outputFile, inputs, params: isJsonObject(params) ? params : {} };
}

/** Calls Hob in the name of the current run. Without `withinMs` there is no time limit, because a link may take hours. */
export async function callHob<Answer extends object>(
  { apiBase }: Pick<ThisRun, 'apiBase'>,
  path: string,
  { body, withinMs }: { body?: JsonObject; withinMs?: number } = {},
): Promise<Answer> {
  // Most commands inside scripts send no request, so they do not load HTTP.
  const { Connection } = await import('../client/connection.ts');
  const { reasonOf } = await import('../client/errors.ts');
  const { nodeFetch } = await import('./node-fetch.ts');
  try {
    const call: Call = {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'accept-language': language },
      body,
      limitMs: withinMs,
      refusal: 'return',
    };
    const locate = async () => ({ url: apiBase });
    const connection = new Connection({ locate, fetch: nodeFetch, patienceMs: 0 });
    return JSON.parse(await connection.ask(path, call, (answer) => answer.text()));
  } catch (error) {
    const reason = reasonOf(error);
    // Show only the origin: the path contains the run token, and messages are stored.
    const { origin } = new URL(apiBase);
    throw userError(
      `No response from Hob at ${origin} (${reason}).`,
      `Hob 没有响应：${origin}（${reason}）。`,
    );
  }
}

/** A value for a shell: texts as they are, all other values as JSON. */
export function shownValue(value: unknown): string {
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
  throw usageError(
    `Invalid value "${word}". Use name=text, or name:=json for numbers, lists and other JSON values.`,
    `“${word}” 的写法不对：文本写成 name=文本，数字、列表等写成 name:=JSON。`,
  );
}

export function parseJson(name: string, text: string): Json {
  const value = tryParseJson(text);
  if (value !== undefined) return value;
  throw usageError(
    `Invalid JSON after ${name}:= ${text}\nFor a text, use ${name}=...`,
    `${name}:= 后面必须是 JSON，而这里是：${text}\n文本请写成 ${name}=...`,
  );
}
