import { patch } from '@decimalturn/toml-patch';
import { parse, stringify } from 'smol-toml';

import type { JsonObject } from '../shared/json.ts';

/**
 * Changes one entry in the text of triggers.toml and keeps everything else byte for byte, with its comments. `entry` null removes it.
 * The library changes one table well, but moves comments in a list of tables; so the text is split into the entries first. `lines`: the
 * line of each entry; null if it is not known.
 */
export function editEntry(
  text: string,
  index: number | null,
  entry: JsonObject | null,
  lines: readonly (number | null)[],
): string {
  if (index === null) return entry === null ? text : append(text, entry);
  const parts = splitEntries(text, lines);
  const part = parts.entries[index];
  if (part === undefined) return entry === null ? text : append(text, entry);
  const { own, after } = withoutRemarks(part);
  const changed = entry === null ? keepRemarks(after) : rewrite(own, entry) + after;
  return [parts.head, ...parts.entries.with(index, changed)].join('');
}

/** Comments below an entry may be about anything, such as an entry that its user has switched off with them. */
function withoutRemarks(part: string): { own: string; after: string } {
  const lines = part.split(/(?<=\n)/);
  const last = lines.findLastIndex((line) => !/^\s*(?:#.*)?$/.test(line.trimEnd()));
  return { own: lines.slice(0, last + 1).join(''), after: lines.slice(last + 1).join('') };
}

function keepRemarks(after: string): string {
  return after.includes('#') ? after.replace(/^(?:[ \t]*\r?\n)+/, '') : '';
}

/** Removes `trigger = []`, after which no `[[trigger]]` may follow. */
export function withoutEmptyList(text: string): string {
  return text.replace(/^[ \t]*trigger[ \t]*=[ \t]*\[\s*\][ \t]*(?:\r?\n)?/m, '');
}

/** The text before the first entry, and the text of each entry, with the comments directly above it. */
function splitEntries(
  text: string,
  entryLines: readonly (number | null)[],
): { head: string; entries: string[] } {
  const lines = text.split(/(?<=\n)/);
  const starts: number[] = [];
  for (const line of entryLines) {
    const previous = starts.at(-1);
    // A path without a line of its own gets the line of the list, which is that of the first entry.
    if (line === null || (previous !== undefined && line - 1 <= previous)) break;
    starts.push(line - 1);
  }
  const begins = starts.map((start, index) => {
    const least = index === 0 ? 0 : (starts[index - 1] ?? 0) + 1;
    let begin = start;
    while (begin > least && /^\s*#/.test(lines[begin - 1] ?? '')) begin--;
    // A comment at the top may be about the whole file.
    return begin === 0 ? start : begin;
  });
  return {
    head: lines.slice(0, begins[0] ?? lines.length).join(''),
    entries: begins.map((begin, index) => lines.slice(begin, begins[index + 1] ?? lines.length).join('')),
  };
}

function rewrite(part: string, entry: JsonObject): string {
  const patched = patch(part, { trigger: [entry] });
  // Comments may be lost where the library cannot place a change. Values never are.
  return isSame(patched, entry) ? patched : render(entry);
}

function append(text: string, entry: JsonObject): string {
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}${render(entry)}`;
}

function render(entry: JsonObject): string {
  const rows = Object.entries(entry).map(([name, value]) => `${keyText(name)} = ${valueText(value)}`);
  return `${['[[trigger]]', ...rows].join('\n')}\n`;
}

/** One line for each field: a table of its own could be mistaken for part of another entry. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const rows = Object.entries(value).map(([name, inner]) => `${keyText(name)} = ${valueText(inner)}`);
    return rows.length === 0 ? '{}' : `{ ${rows.join(', ')} }`;
  }
  return stringify({ v: value }).trim().slice('v = '.length);
}

function keyText(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : stringify({ v: name }).trim().slice('v = '.length);
}

function isSame(text: string, entry: JsonObject): boolean {
  try {
    return isSameJson(parse(text), { trigger: [entry] });
  } catch {
    return false;
  }
}

/** Whether two values are the same as JSON, in any order of their keys. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
