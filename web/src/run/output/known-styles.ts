import { styleAfter, type TextStyle } from './text-style.ts';

/** More than the changes between 256 colours. 24-bit colours could create unlimited changes. */
const mostChanges = 100_000;

/**
 * Caches the styles that escape sequences lead to. Scripts that colour every character repeat few sequences, and adjacent texts with the same
 * style object are joined.
 */
export class KnownStyles {
  #changes = new Map<TextStyle | null, Map<string, TextStyle | null>>();
  #byLook = new Map<string, TextStyle>();
  #count = 0;

  after(style: TextStyle | null, codes: string): TextStyle | null {
    const known = this.#changes.get(style)?.get(codes);
    return known === undefined ? this.#learn(style, codes) : known;
  }

  #learn(style: TextStyle | null, codes: string): TextStyle | null {
    if (this.#count >= mostChanges) this.#forget();
    this.#count += 1;
    const next = this.#one(styleAfter(style, codes));
    const changes = this.#changes.get(style) ?? new Map<string, TextStyle | null>();
    this.#changes.set(style, changes.set(codes, next));
    return next;
  }

  #one(style: TextStyle | null): TextStyle | null {
    if (style === null) return null;
    const look = JSON.stringify(style);
    const known = this.#byLook.get(look) ?? style;
    this.#byLook.set(look, known);
    return known;
  }

  #forget(): void {
    this.#changes = new Map();
    this.#byLook = new Map();
    this.#count = 0;
  }
}
