/** A number that JavaScript cannot hold, by its digits. */
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

/** As JSON.parse, but with whole numbers as they were written, where the browser tells how. */
export function parseExactly<T>(text: string): T {
  // To look at every value takes several times as long, and hardly any text has such a number.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name: string, value: unknown, context?: Source) => {
    const source = context?.source;
    const isExact = typeof value !== 'number' || source === undefined || String(value) === source;
    return isExact || !/^-?\d+$/.test(source) ? value : new ExactNumber(source);
  });
}

/** As JSON.stringify for people, with the numbers that {@link parseExactly} has kept. */
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
