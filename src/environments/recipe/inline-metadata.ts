export type InlineMetadata =
  | { readonly kind: 'none' }
  /** Line of a block without an end. */
  | { readonly kind: 'open'; readonly line: number }
  | { readonly kind: 'twice'; readonly line: number }
  | { readonly kind: 'block'; readonly line: number; readonly toml: string };

const opening = '# /// script';
const closing = '# ///';

/** Reads the metadata in the comments of a Python file (PEP 723). */
export function readInlineMetadata(text: string): InlineMetadata {
  const lines = text.split(/\r?\n/);
  const first = lines.indexOf(opening);
  if (first === -1) return { kind: 'none' };
  const last = endOfBlock(lines, first);
  if (last === null) return { kind: 'open', line: first + 1 };
  const second = lines.indexOf(opening, last + 1);
  if (second !== -1 && endOfBlock(lines, second) !== null) return { kind: 'twice', line: second + 1 };
  const toml = lines.slice(first + 1, last).map((line) => line.slice(2));
  return { kind: 'block', line: first + 1, toml: toml.join('\n') };
}

/** The last closing line, because the content may contain such a line. */
function endOfBlock(lines: readonly string[], start: number): number | null {
  let end: number | null = null;
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line === closing) end = at;
    else if (line === opening || (line !== '#' && !line.startsWith('# '))) break;
  }
  return end;
}
