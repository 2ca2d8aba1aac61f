import { bar } from '../terminal/bar.ts';
import { cutToWidth, printable } from '../terminal/text-width.ts';

const barColumns = 24;
const gap = '  ';

/** Progress reported by a script. */
export interface RunProgress {
  readonly fraction: number | null;
  readonly message: string | null;
}

/** `[======>      ]  40%  page 4 of 10`, cut to the given number of columns. */
export function progressLine({ fraction, message }: RunProgress, columns: number): string {
  const text = printable(message ?? '').replaceAll('\n', ' ');
  if (fraction === null) return cutToWidth(text, columns);
  const done = Math.min(1, Math.max(0, fraction));
  const percent = `${Math.floor(done * 100)}%`.padStart(4);
  return cutToWidth(`${bar(done, barColumns)} ${percent}${text === '' ? '' : gap + text}`, columns);
}
