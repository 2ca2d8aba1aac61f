import type { Problem } from '../../contract/types.ts';
import { tr } from '../language.ts';
import { paint } from './print.ts';
import { padToWidth, widthOf } from './text.ts';

const labels = { error: tr('error', '错误'), note: tr('note', '提示') } as const;
const colours = { error: 'red', note: 'yellow' } as const;
const indent = '    ';

/** Formats problems as `file:line` entries that editors recognise, with the advice below, grouped by file. */
export function problemLines(problems: readonly Problem[], stream: NodeJS.WriteStream): string[] {
  const inOrder = [...problems].sort((a, b) => a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0));
  const lines: string[] = [];
  let file: string | null = null;
  for (const problem of inOrder) {
    if (file !== null && file !== problem.file) lines.push('');
    file = problem.file;
    const placeWidth = Math.max(
      ...inOrder.filter((other) => other.file === problem.file).map((other) => widthOf(placeOf(other))),
    );
    const place = paint('bold', padToWidth(placeOf(problem), placeWidth), stream);
    const severity = paint(colours[problem.severity], padToWidth(labels[problem.severity], 5), stream);
    const [message = '', ...more] = problem.message.split('\n');
    lines.push(`${place}  ${severity}  ${message}`);
    for (const text of [...more, ...problem.advice.split('\n')]) {
      if (text !== '') lines.push(indent + text);
    }
  }
  return lines;
}

function placeOf({ file, line }: Problem): string {
  return line === null ? file : `${file}:${line}`;
}
