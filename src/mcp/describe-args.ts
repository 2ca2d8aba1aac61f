import type { JsonObject } from '../shared/json.ts';

const longestValue = 600;
const longestText = 4000;
/** Enough to recognize an argument among very many. */
const shortestShare = 80;
const longestName = 60;

/** Characters that are invisible, or that reverse the order of those around them. */
const deceptive = /[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu;

/**
 * The arguments of a call as the user reads them before the run. Each argument gets its share of the text, so that none pushes another
 * out of sight. A long one is cut in its middle, because a command may end with its dangerous part. Characters that could hide a part of
 * the text are shown as their codes.
 */
export function describeArgs(args: JsonObject): string {
  const entries = Object.entries(args);
  const share = Math.max(shortestShare, Math.floor(longestText / Math.max(1, entries.length)));
  // A long text is cut as such, and not once more as a part of its argument.
  const longest = Math.min(longestValue, Math.floor(share / 2));
  const lines = entries.map(([name, value]) => {
    const text = JSON.stringify(
      value,
      (_key, inner: unknown) => (typeof inner === 'string' ? cutMiddle(inner, longest) : inner),
      2,
    ).replaceAll('\n', '\n  ');
    return `  ${JSON.stringify(cutMiddle(name, longestName))}: ${cutMiddle(text, share)}`;
  });
  const shown = lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`;
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

/** Keeps the start and the end of a long text, and shows the number of characters between them. */
function cutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  // Removes half of a surrogate pair at the cut.
  const start = text.slice(0, half).replace(/[\ud800-\udbff]$/, '');
  const end = text.slice(-half).replace(/^[\udc00-\udfff]/, '');
  return `${start} … (+${text.length - start.length - end.length}) … ${end}`;
}

function codeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
