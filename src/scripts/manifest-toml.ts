import { parse, TomlDate, TomlError } from 'smol-toml';

import { decodeFileText } from '../shared/decode-text.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import { KeyLocator, type KeyPath } from './locate-keys.ts';

export const maxManifestBytes = 256 * 1024;
const maxDepth = 16;

export type ParsedToml =
  | { kind: 'table'; text: string; table: JsonObject }
  | { kind: 'invalid'; text: string; line: number | null; message: Text; advice: Text };

/** Parses a TOML file to plain JSON values. Dates become strings; values that could pollute or overflow are refused. */
export function parseToml(bytes: Uint8Array): ParsedToml {
  const text = decodeFileText(bytes);
  try {
    const table = parse(text, { integersAsBigInt: 'asNeeded', maxDepth, unsafeKeyBehaviour: 'throw' });
    return { kind: 'table', text, table: toJsonObject(table, []) };
  } catch (error) {
    if (error instanceof TomlError) {
      const reason = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? '';
      return {
        kind: 'invalid',
        text,
        line: error.line,
        message: { en: `Not valid TOML: ${reason}`, zh: `不是有效的 TOML：${reason}` },
        advice: {
          en: 'Correct the syntax on this line or the line before it.',
          zh: '请修正该行或其上一行的语法。',
        },
      };
    }
    if (error instanceof UnusableValue) {
      const line = error.path.length < maxDepth ? new KeyLocator(text).lineOf(error.path) : null;
      const advice: Text = { en: 'Simplify the manifest.', zh: '请简化清单文件。' };
      return { kind: 'invalid', text, line, message: error.text, advice };
    }
    throw error;
  }
}

class UnusableValue extends Error {
  readonly text: Text;
  readonly path: KeyPath;
  constructor(text: Text, path: KeyPath) {
    super(text.en);
    this.text = text;
    this.path = path;
  }
}

function toJsonObject(table: object, path: KeyPath): JsonObject {
  // smol-toml does not limit the nesting of tables by headers.
  if (path.length >= maxDepth) {
    const text = {
      en: `Tables are nested more than ${maxDepth} levels deep`,
      zh: `表的嵌套超过 ${maxDepth} 层`,
    };
    throw new UnusableValue(text, path);
  }
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => [key, toJson(value, [...path, key])]),
  );
}

function toJson(value: unknown, path: KeyPath): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map((item, index) => toJson(item, [...path, index]));
  if (typeof value === 'object' && value !== null) return toJsonObject(value, path);
  // Do not quote the number: it may be the default of a secret.
  const text = {
    en: 'A number here is too large or not a number, so JSON cannot represent it',
    zh: '此处的数字过大或不是有效数值，无法用 JSON 表示',
  };
  throw new UnusableValue(text, path);
}
