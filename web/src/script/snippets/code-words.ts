/** Stands for the value of a secret, which the code reads from an environment variable. */
export class Placeholder {
  readonly variable: string;
  /** Whether the variable holds plain text; otherwise it holds JSON. */
  readonly isText: boolean;

  constructor(variable: string, isText: boolean) {
    this.variable = variable;
    this.isText = isText;
  }
}

/** The notation of values in a programming language. */
export interface CodeWords {
  readonly text: (value: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly none: string;
  readonly secret: (placeholder: Placeholder) => string;
}

/** Writes a JSON value with placeholders as multi-line code. */
export function writeValue(value: unknown, words: CodeWords, margin = ''): string {
  if (value instanceof Placeholder) return words.secret(value);
  if (typeof value === 'string') return words.text(value);
  if (typeof value === 'number') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value !== 'object' || value === null) return words.none;
  const inner = `${margin}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => writeValue(item, words, inner))
    : Object.entries(value).map(([key, item]) => `${words.text(key)}: ${writeValue(item, words, inner)}`);
  if (members.length === 0) return open + close;
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${margin}${close}`;
}
