import Type, { type TSchema } from 'typebox';
import Value from 'typebox/value';

import { AppError, type ErrorCode } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';

/** The schema that documents the fields. */
interface Known {
  readonly properties: object;
}

const IntegerSchema = Type.Object({
  minimum: Type.Integer(),
  maximum: Type.Integer(),
  default: Type.Integer(),
});

/** Reads the query fields of a request. Refuses unknown names, because they are typing errors. */
export class QueryFields {
  readonly #values: ReadonlyMap<string, string>;
  readonly #known: Known;

  constructor(query: unknown, known: Known) {
    const values = new Map<string, string>();
    for (const [name, value] of Object.entries(query ?? {})) {
      if (!Object.hasOwn(known.properties, name)) throw unknownField(name, known, ofQuery);
      if (typeof value !== 'string') throw invalidField(name, 'given once', '只给出一次');
      // No stored text contains NUL, and the database would treat it as the end of the text.
      if (value.includes('\0'))
        throw invalidField(name, 'a string without NUL characters', '不含 NUL 的文本');
      // An empty value is a form field that was left blank.
      if (value !== '') values.set(name, value);
    }
    this.#values = values;
    this.#known = known;
  }

  text(name: string): string | null {
    return this.#values.get(name) ?? null;
  }

  uuid(name: string): string | null {
    const value = this.text(name)?.toLowerCase() ?? null;
    if (value !== null && !uuidPattern.test(value)) throw invalidField(name, 'a UUID', ' UUID');
    return value;
  }

  /** One or more UUIDs, separated by commas, without duplicates. */
  uuids(name: string): string[] | null {
    const value = this.text(name)?.toLowerCase() ?? null;
    if (value === null) return null;
    const ids = [...new Set(value.split(',').map((id) => id.trim()))];
    if (ids.some((id) => !uuidPattern.test(id)))
      throw invalidField(name, 'one or more UUIDs, separated by commas', '一个或多个 UUID，以逗号分隔');
    return ids;
  }

  /** Words from a list, separated by commas. */
  words<Word extends string>(name: string, known: readonly Word[]): Word[] | null {
    const value = this.text(name);
    if (value === null) return null;
    const wanted = [...new Set(value.split(',').map((word) => word.trim()))];
    const words = known.filter((word) => wanted.includes(word));
    if (words.length < wanted.length) {
      const list = known.join(', ');
      throw invalidField(
        name,
        `one or more of ${list}, separated by commas`,
        ` ${list} 中的一个或多个，以逗号分隔`,
      );
    }
    return words;
  }

  /** A time, in the format of the records. */
  time(name: string): string | null {
    const value = this.text(name);
    if (value === null) return null;
    const time = toTime(value);
    if (time === null)
      throw invalidField(
        name,
        'a time such as 2026-05-01T12:00:00Z, or a date',
        ' ISO 时间，例如 2026-05-01T12:00:00Z，或日期',
      );
    return time;
  }

  /** An integer within the bounds of its schema, which also has the default. */
  integer(name: string): number {
    const {
      minimum,
      maximum,
      default: fallback,
    } = Value.Parse(IntegerSchema, Reflect.get(this.#known.properties, name));
    const value = this.text(name);
    if (value === null) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    throw invalidField(name, `an integer from ${minimum} to ${maximum}`, ` ${minimum} 到 ${maximum} 的整数`);
  }
}

/** Refuses query fields that are not in the schema. For routes without query fields, and those that read them elsewhere. */
export function checkQuery(query: unknown, known: Known = { properties: {} }): void {
  new QueryFields(query, known);
}

/** Refuses fields of a body that are not in the schema, because they may be typing errors. */
export function refuseUnknown(fields: JsonObject, known: Known): void {
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(known.properties, name));
  if (unknown !== undefined) throw unknownField(unknown, known, ofBody);
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const timePattern = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Stored times are compared as text, which works only for years of four digits. */
const comparablePattern = /^\d{4}-/;

function toTime(text: string): string | null {
  const [, day = ''] = timePattern.exec(text) ?? [];
  const ms = day === '' ? Number.NaN : Date.parse(text);
  // `Date.parse` accepts February 31 as a day in March.
  if (Number.isNaN(ms) || !new Date(Date.parse(day)).toISOString().startsWith(day)) return null;
  const time = new Date(ms).toISOString();
  return comparablePattern.test(time) ? time : null;
}

const ofQuery = { en: 'query field', zh: '查询参数', none: 'This path has no query fields' };
const ofBody = { en: 'field', zh: '字段', none: 'This request has no fields' };

function unknownField(name: string, { properties }: Known, { en, zh, none }: typeof ofBody): AppError {
  const list = Object.keys(properties).join(', ');
  const given = JSON.stringify(name.slice(0, 100));
  return new AppError('field-invalid', {
    en: `Unknown ${en} ${given}. ${list === '' ? none : `Known fields: ${list}`}`,
    zh: `未知的${zh} ${given}${list === '' ? '' : `，可用的有 ${list}`}`,
    fields: [name.slice(0, 100)],
  });
}

export function invalidCursor(): AppError {
  return invalidField('cursor', 'the value of `next` of the previous page', '上一页 next 的值');
}

/** `zh` begins with a space if its first character is a letter or a digit, as Chinese typography requires. */
export function invalidField(name: string, en: string, zh: string): AppError {
  return new AppError('field-invalid', {
    en: `${name} must be ${en}`,
    zh: `${name} 应为${zh}`,
    fields: [name],
  });
}

/** The fields of a body that are missing or do not match its schema. */
export function fieldsAtFault(schema: TSchema, body: JsonObject): string[] {
  const names = Value.Errors(schema, body).flatMap(({ instancePath, params }) => {
    const [, name] = instancePath.split('/');
    return name ?? ('requiredProperties' in params ? params.requiredProperties : []);
  });
  return [...new Set(names)];
}

/** The id in a path names nothing. `list` is the path that lists what exists. */
export function noSuch(code: ErrorCode, kind: Text, id: string, list: Text): AppError {
  const given = id.slice(0, 100);
  return new AppError(
    code,
    { en: `No such ${kind.en}: ${given}`, zh: `${kind.zh}不存在: ${given}` },
    { hint: list },
  );
}
