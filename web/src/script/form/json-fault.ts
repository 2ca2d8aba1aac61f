/** The position of the first JSON error. Lines and columns start at 1. */
export interface JsonFault {
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
