import type { JsonObject } from '../../shared/json.ts';
import { type JsoncMember, type JsoncValue, memberOf, parseJsonc } from './jsonc.ts';

/** A value that must be an object is something else. */
export class NotAnObjectError extends Error {
  /** Null for the whole text. */
  readonly key: string | null;

  constructor(key: string | null) {
    super('The value is not an object.');
    this.key = key;
  }
}

type JsoncObject = Extract<JsoncValue, { kind: 'object' }>;

/** Sets the member `name` of the object `group` in a text, and keeps all other text, with its comments and its indentation. */
export function setEntry(text: string, group: string, name: string, value: JsonObject): string {
  const bare = text.replace(/^\ufeff/, '');
  if (bare.trim() === '') return `${JSON.stringify({ [group]: { [name]: value } }, null, 2)}\n`;
  const root = objectOf(parseJsonc(text), null);
  const layout = layoutOf(text, root);
  const found = memberOf(root, group);
  if (found === undefined) return insert(text, root, group, { [name]: value }, layout);
  const entries = objectOf(found.value, group);
  const entry = memberOf(entries, name);
  if (entry === undefined) return insert(text, entries, name, value, layout);
  const { start, end } = entry.value;
  const isInline = layout.isInline || isOnOneLine(text, entries);
  const written = isInline ? JSON.stringify(value) : indented(value, indentAt(text, entry.start), layout);
  return text.slice(0, start) + written + text.slice(end);
}

/** Removes the member `name` of the object `group`. */
export function removeEntry(text: string, group: string, name: string): string {
  const root = objectOf(parseJsonc(text), null);
  const found = memberOf(root, group);
  if (found === undefined) return text;
  const entries = objectOf(found.value, group);
  const entry = memberOf(entries, name);
  if (entry === undefined) return text;
  // A reader uses the last of equal keys, so that removing only one would bring another into use.
  return removeEntry(remove(text, entries, entry), group, name);
}

function objectOf(value: JsoncValue, key: string | null): JsoncObject {
  if (value.kind !== 'object') throw new NotAnObjectError(key);
  return value;
}

interface Layout {
  readonly lineBreak: string;
  /** One step of indentation. */
  readonly step: string;
  /** Whether the whole text is one line. */
  readonly isInline: boolean;
}

function layoutOf(text: string, root: JsoncObject): Layout {
  const [first] = root.members;
  const step = first === undefined ? '' : indentAt(text, first.start);
  return {
    lineBreak: text.includes('\r\n') ? '\r\n' : '\n',
    step: step === '' ? '  ' : step,
    isInline: first !== undefined && !text.slice(root.start, root.end).includes('\n'),
  };
}

function insert(text: string, object: JsoncObject, key: string, value: JsonObject, layout: Layout): string {
  const { lineBreak, step } = layout;
  const last = object.members.at(-1);
  const brace = object.end - 1;
  // Behind all members and comments.
  const at = text.slice(0, brace).trimEnd().length;
  const name = JSON.stringify(key);
  const isTrailing = last !== undefined && last.comma !== null;
  const comma = isTrailing ? ',' : '';
  if (last === undefined ? layout.isInline : isOnOneLine(text, object)) {
    const space = last === undefined || layout.isInline ? '' : ' ';
    const added = `${space}${name}:${space}${JSON.stringify(value)}${comma}`;
    return withComma(text.slice(0, at), last) + added + text.slice(at);
  }
  const own = indentAt(text, object.start);
  const indent =
    last === undefined || !isFirstOnLine(text, last.start) ? own + step : indentAt(text, last.start);
  const added = `${lineBreak}${indent}${name}: ${indented(value, indent, layout)}${comma}`;
  const rest = text.slice(at, brace).includes('\n') ? '' : lineBreak + own;
  return withComma(text.slice(0, at), last) + added + rest + text.slice(at);
}

/** Puts a comma behind the last member if it has none. */
function withComma(text: string, last: JsoncMember | undefined): string {
  if (last === undefined || last.comma !== null) return text;
  const { end } = last.value;
  return `${text.slice(0, end)},${text.slice(end)}`;
}

function remove(text: string, object: JsoncObject, entry: JsoncMember): string {
  const index = object.members.indexOf(entry);
  const previous = object.members[index - 1];
  const isLast = index === object.members.length - 1;
  let end = (entry.comma ?? entry.value.end - 1) + 1;
  let start = entry.start;
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (isFirstOnLine(text, start) && /^[ \t]*(?:\r?\n|$)/.test(after)) start = before.search(/\r?\n[ \t]*$/);
  else if (isLast) start = before.replace(/[ \t]+$/, '').length;
  else end += after.length - after.replace(/^[ \t]+/, '').length;
  const isSeparatorLeft = isLast && entry.comma === null && previous !== undefined && previous.comma !== null;
  const kept = isSeparatorLeft
    ? text.slice(0, previous.comma ?? 0) + text.slice((previous.comma ?? 0) + 1, start)
    : text.slice(0, start);
  const inside = kept.slice(object.start + 1) + text.slice(end, object.end - 1);
  if (object.members.length === 1 && inside.trim() === '')
    return `${text.slice(0, object.start)}{}${text.slice(object.end)}`;
  return kept + text.slice(end);
}

function indented(value: JsonObject, indent: string, { lineBreak, step }: Layout): string {
  return JSON.stringify(value, null, step).replaceAll('\n', lineBreak + indent);
}

/** Whether the braces of an object and its members share lines, so that a new member needs none. */
function isOnOneLine(text: string, { start, end, members }: JsoncObject): boolean {
  const [first, last] = [members[0], members.at(-1)];
  if (first === undefined || last === undefined) return false;
  return !(text.slice(start, first.start) + text.slice(last.value.end, end)).includes('\n');
}

/** The white space at the start of the line of a position. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function isFirstOnLine(text: string, at: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, at));
}
