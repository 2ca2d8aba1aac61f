import type { Param } from '../../api/wire.ts';
import type { Draft } from './draft.ts';

/** The error of a field in both languages, because the user may switch the language while it is shown. */
export interface FieldError {
  readonly en: string;
  readonly zh: string;
}

/** The result of reading a control: a value, nothing (the service uses the default), or an error. */
export type Reading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wrong'; readonly fieldError: FieldError };

const nothing: Reading = { kind: 'nothing' };

/** The error of an empty required field. */
export const missing: FieldError = { en: 'This field is required', zh: '此项必填' };

/** Converts a draft to the type of its parameter. */
export function readDraft(param: Param, draft: Draft): Reading {
  if (typeof draft === 'boolean') return of(draft);
  const text = draft.trim();
  const hasDefault = param.default !== undefined && param.default !== '';
  if (text === '' && param.required) return { kind: 'wrong', fieldError: missing };
  switch (param.type) {
    case 'int':
      return text === '' ? nothing : readInteger(text);
    case 'float':
      return text === '' ? nothing : readNumber(text);
    case 'bool':
      return nothing;
    case 'list':
      if (text === '') return hasDefault ? of([]) : nothing;
      return readLines(text);
    case 'dict':
      if (text === '') return hasDefault ? of({}) : nothing;
      return readObject(text);
    case 'str':
      return readText(param, draft, hasDefault);
    default:
      if (param.choices.length > 0) return readText(param, draft, hasDefault);
      return text === '' ? nothing : of(jsonOrText(draft));
  }
}

/** Text keeps its leading and trailing spaces. An empty text is sent only if it replaces a default. */
function readText({ choices, secret }: Param, draft: string, hasDefault: boolean): Reading {
  if (draft === '') return hasDefault && choices.length === 0 && !secret ? of('') : nothing;
  if (choices.length > 0 && !choices.includes(draft))
    return wrong(`Must be one of: ${choices.join(', ')}`, `应为以下之一：${choices.join('、')}`);
  return of(draft);
}

function readInteger(text: string): Reading {
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number)) return of(number);
  return Number.isNaN(number)
    ? wrong('Enter a whole number, such as 85', '应为整数，例如 85')
    : wrong('This number is too large', '数值过大');
}

function readNumber(text: string): Reading {
  const number = Number(text);
  return Number.isFinite(number) ? of(number) : wrong('Enter a number, such as 0.5', '应为数字，例如 0.5');
}

/** Reads one entry per line, or a JSON list if the text starts with `[`. */
export function readLines(text: string): Reading {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) {
    if (jsonFault(trimmed) === null) return of(JSON.parse(trimmed));
    return notJson(trimmed, {
      en: '. Write an entry that starts with “[” as ["[…"]',
      zh: '。以“[”开头的项应写作 ["[…"]',
    });
  }
  const lines = trimmed.split('\n').map((line) => line.trim());
  return of(lines.filter((line) => line !== ''));
}

function readObject(text: string): Reading {
  if (jsonFault(text) !== null) return notJson(text);
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return of(value);
  return wrong('Enter a JSON object, such as {"a": 1}', '应为 JSON 对象，例如 {"a": 1}');
}

function notJson(text: string, advice: FieldError = { en: '', zh: '' }): Reading {
  const fault = jsonFault(text);
  if (fault === null || fault.isEnd)
    return wrong('Invalid JSON: the text ends too early', 'JSON 不完整：内容提前结束');
  const { line, column } = fault;
  return wrong(
    `Invalid JSON: see line ${line}, column ${column}${advice.en}`,
    `不是有效的 JSON：见第 ${line} 行第 ${column} 列${advice.zh}`,
  );
}

function jsonOrText(text: string): unknown {
  return jsonFault(text) === null ? JSON.parse(text) : text;
}

function of(value: unknown): Reading {
  return { kind: 'value', value };
}

function wrong(en: string, zh: string): Reading {
  return { kind: 'wrong', fieldError: { en, zh } };
}

/** The position of the first JSON error. Lines and columns start at 1. */
interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** Whether the text is valid so far but ends too early. */
  readonly isEnd: boolean;
}

const patterns = {
  blank: /[ \t\n\r]*/y,
  // JSON does not allow unescaped control characters. A line break usually means a missing quote.
  text: /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy,
  word: /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
};

/** Null for valid JSON. The messages of browsers differ, and some have no position. */
export function jsonFault(text: string): JsonFault | null {
  try {
    const end = skipBlank(text, value(text, skipBlank(text, 0)));
    if (end < text.length) throw new Fault(end);
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const before = text.slice(0, error.at).split('\n');
    return {
      line: before.length,
      column: [...(before.at(-1) ?? '')].length + 1,
      isEnd: error.at >= text.length,
    };
  }
}

class Fault extends Error {
  readonly at: number;

  constructor(at: number) {
    super('not JSON');
    this.at = at;
  }
}

/** The end of the value that begins at a position. */
function value(text: string, at: number): number {
  switch (text[at]) {
    case '{':
      return members(text, at, '}', (from) => {
        const colon = skipBlank(text, taken(patterns.text, text, from));
        if (text[colon] !== ':') throw new Fault(colon);
        return value(text, skipBlank(text, colon + 1));
      });
    case '[':
      return members(text, at, ']', (from) => value(text, from));
    case '"':
      return taken(patterns.text, text, at);
    default:
      return taken(patterns.word, text, at);
  }
}

function members(text: string, at: number, close: string, member: (from: number) => number): number {
  let next = skipBlank(text, at + 1);
  if (text[next] === close) return next + 1;
  for (;;) {
    next = skipBlank(text, member(next));
    if (text[next] === close) return next + 1;
    if (text[next] !== ',') throw new Fault(next);
    next = skipBlank(text, next + 1);
  }
}

function skipBlank(text: string, at: number): number {
  return taken(patterns.blank, text, at);
}

function taken(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  if (!pattern.test(text)) throw new Fault(at);
  return pattern.lastIndex;
}
