import type { IncomingHttpHeaders } from 'node:http';

import Value from 'typebox/value';
import { ExecuteBody } from '../contract/operations.ts';
import type { Origin } from '../contract/values.ts';
import { AppError } from '../shared/errors.ts';
import { findJsonHazard, type Json } from '../shared/json.ts';
import { whereNotJson } from '../shared/json-fault.ts';
import { fixedText } from '../shared/text.ts';
import type { Body } from './body-parsers.ts';

/** Fields of execute and link. Each has its own reader, because the interface fixes the order of the checks. */
export function readScriptId({ fields }: Body): string {
  const id = fields.script_id;
  if (id === undefined || id === null || id === '') {
    throw new AppError('script-id-missing', fixedText('缺少script_id参数'));
  }
  if (typeof id !== 'string') throw invalid('script_id', 'a string', '字符串');
  return id;
}

const formBooleans = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
  ['', false],
]);

export function readSync({ kind, fields }: Body): boolean {
  const sync = fields.sync ?? false;
  if (kind === 'form') {
    const truth = formBooleans.get(String(sync).trim().toLowerCase());
    if (truth === undefined) throw invalid('sync', 'true or false', 'true 或 false');
    return truth;
  }
  if (!Value.Check(ExecuteBody.properties.sync, sync) || sync === undefined)
    throw invalid('sync', 'true or false', 'true 或 false');
  return sync;
}

/** The path of the legacy argument file, or null. */
export function readTempFilePath({ fields }: Body): string | null {
  const path = fields.temp_file ?? '';
  if (typeof path !== 'string') throw invalid('temp_file', 'an absolute path', '绝对路径');
  return path === '' ? null : path;
}

/** `data` or `params`: a JSON value, or JSON text in a form. Null counts as absent. */
export function readStructured({ kind, fields }: Body, field: 'data' | 'params'): Json | undefined {
  const value = fields[field] ?? undefined;
  if (kind === 'json' || value === undefined) return value;
  if (value === '') return undefined;
  const parsed = parseText(String(value));
  if (parsed === undefined || findJsonHazard(parsed) !== undefined) {
    const code = field === 'data' ? 'data-invalid' : 'params-invalid';
    const where = whereNotJson(String(value));
    throw new AppError(code, {
      en: `${field} is not valid JSON${where.en}`,
      zh: `${field} 不是有效的 JSON 文本${where.zh}`,
    });
  }
  return parsed ?? undefined;
}

/** The console and the command line identify themselves with a header. */
export function originOf({ headers }: { headers: IncomingHttpHeaders }): Origin {
  const claimed = headers['x-hob-origin'];
  return claimed === 'console' || claimed === 'cli' ? claimed : 'execute';
}

function parseText(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(field: string, en: string, zh: string): AppError {
  return new AppError('field-invalid', { en: `${field} must be ${en}`, zh: `${field} 应为 ${zh}` });
}
