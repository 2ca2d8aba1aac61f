import type { JsonObject } from '../shared/json.ts';

const longestValue = 300;
const longestText = 4000;
const longestName = 60;

/** Characters that are invisible, or that reverse the order of those around them. */
const deceptive = /[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu;

/**
 * The arguments of a call as the user reads them before the run. Each long value is cut, so that it cannot push the others out of
 * sight, and characters that could hide a part of the text are shown as their codes.
 */
export function describeArgs(args: JsonObject): string {
  const text = JSON.stringify(
    args,
    (_key, value: unknown) => (typeof value === 'string' ? cut(value) : value),
    2,
  );
  const shown = text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`;
  return shown.replace(deceptive, codeOf);
}

/** The name that a program gives itself, in one short line. */
export function describeClient(name: string): string {
  const line = name
    .slice(0, longestText)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= longestName ? line : `${characters.slice(0, longestName - 1).join('')}…`;
}

function cut(value: string): string {
  if (value.length <= longestValue) return value;
  return `${value.slice(0, longestValue)}… (${value.length})`;
}

function codeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
