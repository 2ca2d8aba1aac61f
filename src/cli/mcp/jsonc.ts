import type { Json } from '../../shared/json.ts';

/** A value in JSON with comments, and its place in the text. */
export type JsoncValue =
  | { readonly kind: 'object'; readonly start: number; readonly end: number; readonly members: JsoncMember[] }
  | { readonly kind: 'other'; readonly start: number; readonly end: number; readonly value: Json };

export interface JsoncMember {
  readonly key: string;
  readonly start: number;
  readonly value: JsoncValue;
  /** The position of the comma after it; null if there is none. */
  comma: number | null;
}

/** The text is not JSON, also if comments and trailing commas are allowed. */
export class JsoncError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(text: string, at: number) {
    const lines = text.slice(0, at).split('\n');
    super('The text is not JSON.');
    this.line = lines.length;
    this.column = (lines.at(-1)?.length ?? 0) + 1;
  }
}

export function parseJsonc(text: string): JsoncValue {
  const reader = new Reader(text);
  const root = reader.value();
  reader.skip();
  if (reader.at < text.length) throw reader.fault();
  return root;
}

/** The value without its places. The last of equal keys counts, as in JavaScript. */
export function plainValue(value: JsoncValue): Json {
  if (value.kind === 'other') return value.value;
  return Object.fromEntries(value.members.map((member) => [member.key, plainValue(member.value)]));
}

export function memberOf(value: JsoncValue, key: string): JsoncMember | undefined {
  return value.kind === 'object' ? value.members.findLast((member) => member.key === key) : undefined;
}

const blank = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const scalar = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+/y;

class Reader {
  at: number;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.at = text.startsWith('\ufeff') ? 1 : 0;
  }

  fault(): JsoncError {
    return new JsoncError(this.#text, this.at);
  }

  /** Skips white space and comments. */
  skip(): void {
    blank.lastIndex = this.at;
    this.at += blank.exec(this.#text)?.[0].length ?? 0;
  }

  value(): JsoncValue {
    this.skip();
    const start = this.at;
    const first = this.#text[start];
    if (first === '{') return { kind: 'object', start, members: this.#members(), end: this.at };
    const value = first === '[' ? this.#items() : this.#scalar();
    return { kind: 'other', start, end: this.at, value };
  }

  #members(): JsoncMember[] {
    const members: JsoncMember[] = [];
    this.at++;
    for (;;) {
      if (this.#takes('}')) return members;
      const last = members.at(-1);
      if (last !== undefined && last.comma === null) throw this.fault();
      const start = this.at;
      if (this.#text[start] !== '"') throw this.fault();
      const key = String(this.#scalar());
      if (!this.#takes(':')) throw this.fault();
      const member: JsoncMember = { key, start, value: this.value(), comma: null };
      if (this.#takes(',')) member.comma = this.at - 1;
      members.push(member);
    }
  }

  #items(): Json[] {
    const items: Json[] = [];
    let isSeparated = true;
    this.at++;
    for (;;) {
      if (this.#takes(']')) return items;
      if (!isSeparated) throw this.fault();
      items.push(plainValue(this.value()));
      isSeparated = this.#takes(',');
    }
  }

  #scalar(): Json {
    scalar.lastIndex = this.at;
    const [word = ''] = scalar.exec(this.#text) ?? [];
    try {
      const value: Json = JSON.parse(word);
      this.at += word.length;
      return value;
    } catch {
      throw this.fault();
    }
  }

  /** Skips white space, and this character if it is the next one. */
  #takes(character: string): boolean {
    this.skip();
    if (this.#text[this.at] !== character) return false;
    this.at++;
    return true;
  }
}
