import { scanJson } from './scan-json.ts';
import type { Text } from './text.ts';

const unknown: Text = { en: '', zh: '' };
const ends: Text = { en: ': it ends too early', zh: '：内容不完整' };

/**
 * Describes where a text stops being valid JSON, to be appended to a message. The message of the parser itself is not
 * used, because it often quotes the text, which may contain a secret.
 */
export function whereNotJson(text: string): Text {
  const bytes = Buffer.from(text);
  const scan = scanJson(bytes, [], () => {});
  if (scan.kind !== 'malformed') return unknown;
  if (scan.at >= bytes.length) return ends;
  const before = bytes.subarray(0, scan.at).toString().split('\n');
  const [line, column] = [before.length, [...(before.at(-1) ?? '')].length + 1];
  return { en: `: see line ${line}, column ${column}`, zh: `：见第 ${line} 行第 ${column} 列` };
}
