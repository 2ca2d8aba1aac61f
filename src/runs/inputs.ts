import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { paramMismatch } from '../scripts/read-params.ts';
import { type Param, type Script, secretMask } from '../scripts/script.ts';
import { brief } from '../shared/brief.ts';
import { decodeFileText } from '../shared/decode-text.ts';
import { AppError } from '../shared/errors.ts';
import { findJsonHazard, isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { type ReadFailure, readRegularFile } from '../shared/read-regular-file.ts';
import { whereNotJson } from '../shared/scan-json.ts';
import { fixedText } from '../shared/text.ts';
import type { RunRecord } from './run-record.ts';

/**
 * Returns `data` in the form that the script gets: the values of its main input, always a list of strings under the
 * name of the input.
 */
export function readData(script: Script, data: Json | undefined): Json {
  const { input } = script;
  if (data !== undefined && !isJsonObject(data) && !Array.isArray(data)) {
    throw invalidData('data', 'data must be an object or an array', 'data 应为对象或数组');
  }
  if (input === null) return data ?? {};
  if (data === undefined) return { [input.name]: [] };
  if (Array.isArray(data)) return { [input.name]: texts(input.name, data) };

  const unknown = Object.keys(data).find((key) => key !== input.name);
  if (unknown !== undefined) {
    throw invalidData(
      `data.${unknown}`,
      `data has the key "${unknown}", but the main input of "${script.name}" is "${input.name}"`,
      `data 中的键 "${unknown}" 无效，脚本 "${script.name}" 的主输入是 "${input.name}"`,
    );
  }
  const value = data[input.name];
  return {
    [input.name]: value === undefined ? [] : texts(input.name, typeof value === 'string' ? [value] : value),
  };
}

function texts(name: string, value: Json): string[] {
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (isTexts) return value.map(String);
  throw invalidData(
    `data.${name}`,
    `data.${name} must be an array of strings`,
    `data.${name} 应为字符串数组`,
  );
}

function invalidData(field: string, en: string, zh: string): AppError {
  return new AppError('data-invalid', { en, zh, fields: [field] });
}

/**
 * Returns the defaults of the manifest, overridden by the sent values. Sent values must match their declaration.
 * Undeclared params are passed through.
 */
export function readParams(script: Script, sent: Json | undefined): JsonObject {
  if (sent !== undefined && !isJsonObject(sent))
    throw invalidParams('params', 'params must be an object', 'params 应为对象');
  // Objects with many keys are slow to copy, and a request may bring hundreds of thousands.
  if (script.params.length === 0) return sent ?? {};
  const params: JsonObject = {};
  for (const param of script.params) {
    const value = sent !== undefined && Object.hasOwn(sent, param.name) ? sent[param.name] : undefined;
    const chosen = value === undefined ? param.default : checked(param, value);
    if (chosen !== undefined) params[param.name] = chosen;
    else if (param.required && isAsked(param, params, sent)) {
      throw invalidParams(
        `params.${param.name}`,
        `params.${param.name} is required (${param.type})`,
        `缺少必填参数 params.${param.name}（${param.type}）`,
      );
    }
  }
  addUndeclared(params, script, sent ?? {});
  return params;
}

/** A param that depends on the value of another one is required only if that condition is true. */
export function isAsked({ when }: Param, params: JsonObject, sent: JsonObject = {}): boolean {
  if (when === null) return true;
  const values = Object.hasOwn(sent, when.field) ? sent : params;
  return isDeepStrictEqual(values[when.field], when.eq);
}

function checked(param: Param, value: Json): Json {
  const expected = paramMismatch(param, value);
  if (expected === null) return value;
  const found = param.secret ? secretMask : brief(value);
  throw invalidParams(
    `params.${param.name}`,
    `params.${param.name} must be ${expected}, not ${found}`,
    `params.${param.name} 应为 ${expected}，而不是 ${found}`,
  );
}

function addUndeclared(params: JsonObject, script: Script, sent: JsonObject): void {
  const declared = new Set(script.params.map(({ name }) => name));
  for (const name of Object.keys(sent)) {
    const value = sent[name];
    if (value !== undefined && !declared.has(name)) params[name] = value;
  }
}

function invalidParams(field: string, en: string, zh: string): AppError {
  return new AppError('params-invalid', { en, zh, fields: [field] });
}

/**
 * Returns the params that may be stored and shown. Omits a secret that equals its default: a rerun takes it from the
 * manifest again.
 */
export function maskSecrets(script: Script, params: JsonObject): JsonObject {
  const secrets = script.params.filter(({ name, secret }) => secret && Object.hasOwn(params, name));
  if (secrets.length === 0) return params;
  const kept = { ...params };
  for (const { name, default: preset } of secrets) {
    if (isDeepStrictEqual(params[name], preset)) delete kept[name];
    else kept[name] = secretMask;
  }
  return kept;
}

/** The secret params, which records do not contain. Null if there are none. */
export function secretsIn(script: Script, params: JsonObject): JsonObject | null {
  const names = script.params.filter(({ name, secret }) => secret && Object.hasOwn(params, name));
  return names.length === 0
    ? null
    : Object.fromEntries(names.map(({ name }) => [name, params[name] ?? null]));
}

const maxTempFileBytes = 8 * 1024 * 1024;

interface FileArguments {
  data: Json | undefined;
  params: Json | undefined;
}

/**
 * Reads arguments in the legacy form: a file with a JSON object (`data` and `params`), a JSON array (values of the main
 * input) or plain text (one value per line). The file is never deleted.
 */
export async function readTempFile(path: string): Promise<FileArguments> {
  if (!isAbsolute(path)) throw invalid(path, 'is not an absolute path', '不是绝对路径');
  if (path.includes('\0')) throw invalid(path, 'is not a valid path', '不是有效路径');
  const file = await readRegularFile(path, { maxBytes: maxTempFileBytes });
  if (file.kind !== 'content') throw failure(path, file);

  const text = decodeFileText(file.bytes);
  const start = text.trimStart()[0];
  if (start === '{' || start === '[') return fromJson(path, text);
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return { data: lines, params: undefined };
}

function fromJson(path: string, text: string): FileArguments {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    const where = whereNotJson(text);
    throw invalid(path, `is not valid JSON${where.en}`, `不是有效的 JSON${where.zh}`);
  }
  if (findJsonHazard(value) !== undefined) {
    throw invalid(
      path,
      'is nested too deeply, or contains a forbidden key or a number that is too large',
      '嵌套过深，或含有非法键或过大的数字',
    );
  }
  if (!isJsonObject(value)) return { data: value, params: undefined };
  if (Object.keys(value).length > 0 && !('data' in value) && !('params' in value)) {
    throw invalid(path, 'is an object with neither data nor params', '中的对象既没有 data 也没有 params');
  }
  return { data: value.data ?? undefined, params: value.params ?? undefined };
}

function failure(path: string, { kind, ...details }: ReadFailure): AppError {
  switch (kind) {
    case 'missing':
      return new AppError('temp-file-missing', fixedText(`文件不存在: ${path}`));
    case 'too-large':
      return invalid(path, `is larger than ${maxTempFileBytes} bytes`, `超过 ${maxTempFileBytes} 字节`);
    case 'unreadable':
      return invalid(path, `cannot be read (${'errno' in details ? details.errno : ''})`, '无法读取');
    default:
      return invalid(path, 'is not a regular file', '不是普通文件');
  }
}

function invalid(path: string, en: string, zh: string): AppError {
  return new AppError('temp-file-invalid', { en: `temp_file ${path} ${en}`, zh: `temp_file ${path} ${zh}` });
}

interface Sent {
  readonly data: Json | undefined;
  readonly params: Json | undefined;
}

/** The inputs for a rerun: the recorded values, overridden by the sent ones, checked against the current manifest. */
export function rerunInputs(
  record: Pick<RunRecord, 'runId' | 'data' | 'params'>,
  script: Script,
  sent: Sent,
): { data: Json; params: JsonObject } {
  if (sent.data === undefined) assertSameInput(record, script);
  return {
    data: readData(script, sent.data ?? record.data),
    params: readParams(script, rerunParams(record, script, sent.params)),
  };
}

/** The recorded data has the form that the script received, under the name that its input had at that time. */
function assertSameInput({ runId, data }: Pick<RunRecord, 'runId' | 'data'>, { name, input }: Script): void {
  if (input === null || !isJsonObject(data)) return;
  const former = Object.keys(data).find((key) => key !== input.name);
  if (former === undefined) return;
  throw new AppError(
    'data-invalid',
    {
      en: `The data of the run ${runId} belong to the input "${former}", but the main input of "${name}" is now "${input.name}".`,
      zh: `运行 ${runId} 的 data 属于输入 "${former}"，但脚本 "${name}" 的主输入现在是 "${input.name}"。`,
    },
    { hint: hintOf({ data: { [input.name]: ['…'] } }), fields: ['data'] },
  );
}

function rerunParams(
  record: Pick<RunRecord, 'runId' | 'params'>,
  script: Script,
  sent: Json | undefined,
): Json | undefined {
  // `readParams` reports the error.
  if (sent !== undefined && !isJsonObject(sent)) return sent;
  const isSent = (name: string) => sent !== undefined && Object.hasOwn(sent, name);
  // A default in the manifest does not replace a recorded secret: a run that used the default has no value on record,
  // and any other run would be repeated with a wrong value.
  const needed = script.params
    .filter(({ name, secret }) => secret && Object.hasOwn(record.params, name) && !isSent(name))
    .map(({ name }) => name);
  const params = { ...record.params, ...sent };
  // Also params that were secret at the time of the run, and masks that a client read from a record and sent as values.
  const masked = Object.keys(params).filter((name) => params[name] === secretMask);
  const names = [...new Set([...needed, ...masked])];
  if (names.length > 0) throw secretsNeeded(record.runId, names);
  return params;
}

function secretsNeeded(runId: string, names: readonly string[]): AppError {
  return new AppError(
    'secrets-needed',
    {
      en: `Hob does not store secrets. Send these params of the run ${runId} again: ${names.join(', ')}`,
      zh: `密钥类参数不会被保存，运行 ${runId} 的以下参数需要重新发送：${names.join('、')}`,
    },
    {
      hint: hintOf({ params: Object.fromEntries(names.map((name) => [name, '…'])) }),
      fields: names.map((name) => `params.${name}`),
    },
  );
}

function hintOf(body: JsonObject) {
  const text = JSON.stringify(body);
  return { en: `Send ${text}`, zh: `请发送 ${text}` };
}
