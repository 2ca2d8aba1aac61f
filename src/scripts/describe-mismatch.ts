import type { TSchema } from 'typebox';
import Value from 'typebox/value';

import { brief } from '../shared/brief.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import type { KeyPath } from './locate-keys.ts';

export interface Mismatch {
  path: KeyPath;
  message: Text;
}

/** Describes how a value differs from its schema, for the author. At most one message per place. */
export function findMismatches(schema: TSchema, value: Json): Mismatch[] {
  const mismatches = new Map<string, Mismatch>();
  for (const error of Value.Errors(schema, value)) {
    const params: Record<string, unknown> = { ...error.params };
    const path = pathOf(error.instancePath);
    if (error.keyword === 'required' && Array.isArray(params.requiredProperties)) {
      for (const name of params.requiredProperties.map(String)) {
        add([...path, name], { en: `${name} is missing`, zh: `缺少 ${name}` });
      }
    } else {
      add(path, describe(error.keyword, params, path, valueAt(value, path)));
    }
  }
  return [...mismatches.values()];

  function add(path: KeyPath, message: Text): void {
    const key = JSON.stringify(path);
    if (!mismatches.has(key)) mismatches.set(key, { path, message });
  }
}

function pathOf(pointer: string): KeyPath {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function valueAt(value: Json, path: KeyPath): unknown {
  let current: unknown = value;
  for (const step of path) {
    current = typeof current === 'object' && current !== null ? Reflect.get(current, step) : undefined;
  }
  return current;
}

/** `zh` begins with a space if its first character is a letter, as Chinese typography requires. */
const kinds: Record<string, Text> = {
  string: { en: 'a string in quotes', zh: '带引号的文本' },
  integer: { en: 'an integer', zh: '整数' },
  number: { en: 'a number', zh: '数字' },
  boolean: { en: 'true or false', zh: ' true 或 false' },
  array: { en: 'a list', zh: '列表' },
  object: { en: 'a table', zh: '表' },
};

function describe(keyword: string, params: Record<string, unknown>, path: KeyPath, value: unknown): Text {
  const name = nameOf(path);
  const found = summarize(value);
  switch (keyword) {
    case 'type': {
      const kind = kinds[String(params.type)] ?? { en: String(params.type), zh: ` ${params.type}` };
      return {
        en: `${name} must be ${kind.en}, not ${found}`,
        zh: `${name} 应为${kind.zh}，而不是 ${found}`,
      };
    }
    case 'enum': {
      const allowed = Array.isArray(params.allowedValues) ? params.allowedValues.join(', ') : '';
      return {
        en: `${name} must be one of ${allowed}, not ${found}`,
        zh: `${name} 应为 ${allowed} 之一，而不是 ${found}`,
      };
    }
    case 'pattern':
      return {
        en: `${name} must be a UUID, not ${found}; uuidgen generates one`,
        zh: `${name} 应为 UUID（可用 uuidgen 生成），而不是 ${found}`,
      };
    case 'minLength':
      return { en: `${name} is empty`, zh: `${name} 为空` };
    case 'maxLength':
      return {
        en: `${name} is longer than ${params.limit} characters`,
        zh: `${name} 超过 ${params.limit} 个字符`,
      };
    case 'minimum':
      return {
        en: `${name} must be at least ${params.limit}, not ${found}`,
        zh: `${name} 不能小于 ${params.limit}`,
      };
    case 'maximum':
      return {
        en: `${name} must be at most ${params.limit}, not ${found}`,
        zh: `${name} 不能大于 ${params.limit}`,
      };
    default:
      return { en: `${name} is not valid (${keyword})`, zh: `${name} 不符合要求（${keyword}）` };
  }
}

function nameOf(path: KeyPath): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join('.') || 'this table';
}

function summarize(value: unknown): string {
  if (Array.isArray(value)) return '[…]';
  if (isJsonObject(value)) return '{…}';
  return brief(value);
}
