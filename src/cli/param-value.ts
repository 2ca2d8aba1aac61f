import type { Param } from '../contract/types.ts';
import { isJsonObject, type Json, tryParseJson } from '../shared/json.ts';
import { tr } from './language.ts';
import { printable } from './terminal/text.ts';
import { type UserError, usageError } from './user-error.ts';

const trueWord = /^(?:true|yes|on|1|是)$/i;
const falseWord = /^(?:false|no|off|0|否)$/i;

/** Converts the text of a param to its declared type. Several texts are the items of a list. */
export function paramValue(param: Param, texts: readonly string[]): Json {
  const { name, type } = param;
  if (type === 'list') return listValue(param, texts);
  const [text = '', ...others] = texts;
  if (others.length > 0)
    throw usageError(
      `${name} accepts one value, but was given several times.`,
      `${name} 只接受一个值，却给了多次。`,
    );
  const trimmed = text.trim();
  switch (type) {
    case 'int':
      if (!/^[+-]?\d+$/.test(trimmed)) throw invalidValue(param, text, tr('an integer', '整数'));
      if (!Number.isSafeInteger(Number(trimmed)))
        throw invalidValue(param, text, tr('an integer with at most 15 digits', '不超过 15 位的整数'));
      return Number(trimmed);
    case 'float':
      if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) || !Number.isFinite(Number(trimmed)))
        throw invalidValue(param, text, tr('a number', '数字'));
      return Number(trimmed);
    case 'bool':
      if (!trueWord.test(trimmed) && !falseWord.test(trimmed))
        throw invalidValue(param, text, tr('yes or no', '是或否（yes/no）'));
      return trueWord.test(trimmed);
    case 'dict': {
      const value = tryParseJson(text);
      if (!isJsonObject(value))
        throw invalidValue(param, text, tr('a JSON object, such as {"a": 1}', 'JSON 对象，如 {"a": 1}'));
      return value;
    }
    case 'str': {
      const { choices } = param;
      if (choices.length === 0 || choices.includes(text)) return text;
      throw invalidValue(param, text, tr(`one of ${choices.join(', ')}`, `${choices.join('、')} 之一`));
    }
    default:
      return jsonOrText(text);
  }
}

/** Converts an undeclared param: JSON if it is valid JSON, else text. */
export function jsonOrText(text: string): Json {
  return tryParseJson(text) ?? text;
}

function listValue(param: Param, texts: readonly string[]): Json {
  const [text = '', ...others] = texts;
  if (others.length > 0) return [...texts];
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (!trimmed.startsWith('[')) return trimmed.split(',').map((item) => item.trim());
  const value = tryParseJson(trimmed);
  if (!Array.isArray(value))
    throw invalidValue(
      param,
      text,
      tr('a list: a,b,c or JSON such as ["a", "b"]', '列表：a,b,c 或 JSON，如 ["a", "b"]'),
    );
  return value;
}

function invalidValue({ name, secret }: Param, text: string, expected: string): UserError {
  const found = secret ? '***' : printable(text);
  return usageError(
    `Invalid value "${found}" for ${name}: expected ${expected}.`,
    `${name} 应为${expected}，而不是 “${found}”。`,
  );
}
