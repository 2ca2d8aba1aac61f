import type { Static, TObject, TSchema } from 'typebox';
import Value from 'typebox/value';

import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import { findMismatches } from './describe-mismatch.ts';
import type { KeyLocator, KeyPath } from './locate-keys.ts';
import type { Advised, Problem } from './script.ts';

export type Report = (severity: Problem['severity'], path: KeyPath, message: Text & Advised) => void;

export function reporter(file: string, locator: KeyLocator, problems: Problem[]): Report {
  return (severity, path, { advice, ...message }) => {
    problems.push({ severity, file, line: locator.lineOf(path), message, advice });
  };
}

const fitAdvice: Text = {
  en: 'Correct this value. docs/manifest.md lists every field.',
  zh: '请修正该值，字段说明见 docs/manifest.md。',
};

export const unknownAdvice: Text = {
  en: 'If this is a typing error, correct it. Otherwise no action is needed.',
  zh: '若非拼写错误，无需处理。',
};

/** Reads the tables of a manifest one by one, and reports invalid values instead of stopping. */
export class SectionReader {
  readonly rootName: string;
  readonly report: Report;
  /** The sections, unchecked. */
  readonly root: JsonObject;

  constructor(root: JsonObject, rootName: string, report: Report) {
    this.root = root;
    this.rootName = rootName;
    this.report = report;
  }

  /** The table under `key`; null if it is missing or invalid. */
  table<Schema extends TObject>(key: string, schema: Schema): Static<Schema> | null {
    return this.#read(this.root[key] ?? {}, schema, [this.rootName, key]);
  }

  /** The valid tables in the list under `key`. A single table counts as a list of one. */
  list<Schema extends TObject>(key: string, schema: Schema): { item: Static<Schema>; index: number }[] {
    const value = this.root[key];
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).flatMap((value, index) => {
      const item = this.#read(value, schema, [this.rootName, key, index]);
      return item === null ? [] : [{ item, index }];
    });
  }

  #read<Schema extends TObject>(value: Json, schema: Schema, path: KeyPath): Static<Schema> | null {
    this.#noteUnknownKeys(value, schema, path);
    for (const mismatch of findMismatches(schema, value)) {
      this.report('error', [...path, ...mismatch.path], {
        ...mismatch.message,
        advice: fitAdvice,
      });
    }
    const checked: TSchema = schema;
    return Value.Check(checked, value) ? (value as Static<Schema>) : null;
  }

  /** Checks the table and all nested tables. A table whose schema names no keys may have any keys. */
  #noteUnknownKeys(value: Json, schema: object, path: KeyPath): void {
    const { items, properties }: { items?: unknown; properties?: unknown } = { ...schema };
    if (Array.isArray(value) && isJsonObject(items)) {
      for (const [index, item] of value.entries()) this.#noteUnknownKeys(item, items, [...path, index]);
    }
    if (!isJsonObject(value) || !isJsonObject(properties)) return;
    for (const [key, item] of Object.entries(value)) {
      const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (isJsonObject(known)) {
        this.#noteUnknownKeys(item, known, [...path, key]);
        continue;
      }
      const full = [...path, key].filter((step) => typeof step === 'string').join('.');
      this.report('note', [...path, key], {
        en: `Unknown field ${full} is ignored`,
        zh: `未知的字段 ${full}，已忽略`,
        advice: unknownAdvice,
      });
    }
  }
}
