import type { Block, Line, StreamName } from './output-lines.ts';

export type StreamChoice = StreamName | 'all';

/** The lines of a block that belong to the chosen stream. */
export function shownLines({ lines }: Block, choice: StreamChoice): readonly Line[] {
  return choice === 'all' ? lines : lines.filter(({ stream }) => stream === choice);
}

/** Groups consecutive lines of the same stream. */
export function groupByStream(lines: readonly Line[]): (readonly Line[])[] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.[0]?.stream === line.stream) last.push(line);
    else groups.push([line]);
  }
  return groups;
}
