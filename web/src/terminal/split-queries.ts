const lead = '\x1b';
const stringEnd = `(?:\x07|${lead}\\\\)`;

/**
 * Queries that the terminal answers itself: cursor position, capabilities and colours. It answers after the last character of the
 * sequence.
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
  /** The output offset at the end of this part. */
  readonly endBytes: number;
  readonly isQuery: boolean;
}

/** Splits output around terminal queries, so that each query has its own offset. */
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
