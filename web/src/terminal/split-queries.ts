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
  readonly isQuery: boolean;
}

/** Cuts what a script has written around everything that it asks of its terminal, so that each such place has a number of its own. */
export function splitQueries(text: string, offset: number): OutputPart[] {
  const parts: OutputPart[] = [];
  let [from, endBytes] = [0, offset];
  const cut = (end: number, isQuery: boolean) => {
    if (end === from) return;
    const part = text.slice(from, end);
    endBytes += new TextEncoder().encode(part).length;
    parts.push({ text: part, endBytes, isQuery });
    from = end;
  };
  for (const { index, 0: asked } of text.matchAll(query)) {
    cut(index, false);
    cut(index + asked.length, true);
  }
  cut(text.length, false);
  return parts;
}
