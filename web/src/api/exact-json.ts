/** An integer that a JavaScript number cannot represent, as its digits. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

interface Source {
  readonly source?: string;
}

/** Like JSON.parse, but keeps large integers exact if the browser passes source text to the reviver. */
export function parseExactly<T>(text: string): T {
  // A reviver makes parsing several times slower, and few texts contain such a number.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name: string, value: unknown, context?: Source) => {
    const source = context?.source;
    const isExact = typeof value !== 'number' || source === undefined || String(value) === source;
    return isExact || !/^-?\d+$/.test(source) ? value : new ExactNumber(source);
  });
}

/** Like JSON.stringify with indentation, but writes the digits of every {@link ExactNumber}. */
export function exactText(value: unknown): string {
  const kept: string[] = [];
  const mark = `${Math.random()}:`;
  const text = JSON.stringify(
    value,
    (_name, each: unknown) => (each instanceof ExactNumber ? mark + (kept.push(each.digits) - 1) : each),
    2,
  );
  return kept.length === 0
    ? text
    : text.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at) => kept[at] ?? '');
}
