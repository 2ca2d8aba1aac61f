/** A secret in the place of its value: where it is pasted, the environment has it. */
export class Placeholder {
  readonly variable: string;
  /** Otherwise the variable holds JSON. */
  readonly isText: boolean;

  constructor(variable: string, isText: boolean) {
    this.variable = variable;
    this.isText = isText;
  }
}

/** How a language writes values. */
export interface CodeWords {
  readonly text: (value: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly none: string;
  readonly secret: (placeholder: Placeholder) => string;
}

/** A JSON value with placeholders in it, as a language writes it, over several lines. */
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
