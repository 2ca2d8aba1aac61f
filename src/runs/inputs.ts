import { isDeepStrictEqual } from 'node:util';

import { paramMismatch } from '../scripts/read-params.ts';
import { type Param, type Script, secretMask } from '../scripts/script.ts';
import { brief } from '../shared/brief.ts';
import { AppError } from '../shared/errors.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import { isJsonObject } from '../shared/json.ts';

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
function isAsked({ when }: Param, params: JsonObject, sent: JsonObject = {}): boolean {
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
