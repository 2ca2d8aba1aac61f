const lead = '\x1b';
const stringEnd = `(?:\x07|${lead}\\\\)`;

/**
 * What is answered by the terminal itself: where the cursor is, what it can do, which colours it has. The answer comes after the last
 * character of these.
 */
const query = new RegExp(
  [
    `${lead}\\[[?>]?[\\d;]*(?:[cn]|\\$p)`,
    `${lead}\\](?:4;\\d+|1[0-2]);\\?${stringEnd}`,
    `${lead}P\\$q[^${lead}]*${stringEnd}`,
  ].join('|'),
  'g',
);

export interface OutputPart {
  readonly text: string;
  /** How much the script had written with it. */
  readonly endBytes: number;
}

/** Cuts what a script has written behind everything that it asks of its terminal, so that each such place has a number of its own. */
export function splitQueries(text: string, offset: number): OutputPart[] {
  const ends = [...text.matchAll(query)].map((match) => match.index + match[0].length);
  const parts: OutputPart[] = [];
  let [from, endBytes] = [0, offset];
  for (const end of new Set([...ends, text.length])) {
    const part = text.slice(from, end);
    endBytes += new TextEncoder().encode(part).length;
    parts.push({ text: part, endBytes });
    from = end;
  }
  return parts;
}
