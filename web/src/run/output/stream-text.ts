import { OpenLine, type StyledText } from './open-line.ts';
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

/** Longer lines are split, because their layout would block the page. */
const longestLine = 10_000;
/** A longer unfinished sequence is treated as text. */
const longestSequence = 4096;

/** An escape sequence: CSI, a string (title, link, device) with its terminator, or another short sequence. The groups capture the CSI parts. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  /\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|[ -/]*[0-OQ-WYZ\\`-~])/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const special = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

/** Converts a stream into lines as a terminal would show them. Sequences may be split between chunks. */
export class StreamText {
  readonly #styles = new KnownStyles();
  #line = new OpenLine();
  #style: TextStyle | null = null;
  /** The start of an incomplete sequence. */
  #rest = '';

  /** The unfinished line; null if it is empty. */
  get open(): readonly StyledText[] | null {
    return this.#line.isEmpty ? null : this.#line.pieces();
  }

  /** Processes a chunk and calls back for each finished line. */
  take(text: string, onLine: (pieces: readonly StyledText[]) => void): void {
    const all = this.#rest + text;
    this.#rest = '';
    let at = 0;
    while (at < all.length) {
      special.lastIndex = at;
      const found = special.exec(all);
      const until = found?.index ?? all.length;
      if (until > at) this.#write(all.slice(at, until), onLine);
      if (found === null) return;
      at = until + 1;
      if (found[0] === '\n') onLine(this.#endLine());
      else if (found[0] === '\r') {
        // CRLF is a line end, not a return to the start.
        if (all[at] !== '\n') this.#line.return();
      } else if (found[0] === '\b') this.#line.move(-1);
      else if (found[0] === '\u001b') {
        const used = this.#obey(all, until);
        if (used === null) {
          this.#rest = all.slice(until);
          return;
        }
        at = until + used;
      }
      // Other control characters are ignored.
    }
  }

  /** Ends the unfinished line, because missing bytes follow it. */
  cut(): readonly StyledText[] | null {
    this.#rest = '';
    return this.#line.isEmpty ? null : this.#endLine();
  }

  #write(text: string, onLine: (pieces: readonly StyledText[]) => void): void {
    let rest = text;
    while (this.#line.length + rest.length > longestLine) {
      const room = Math.max(1, longestLine - this.#line.length);
      // Do not split a surrogate pair.
      const end = /[\ud800-\udbff]/.test(rest.charAt(room - 1)) ? room + 1 : room;
      this.#line.write(rest.slice(0, end), this.#style);
      rest = rest.slice(end);
      onLine(this.#endLine());
    }
    if (rest !== '') this.#line.write(rest, this.#style);
  }

  #endLine(): readonly StyledText[] {
    const pieces = this.#line.pieces();
    this.#line = new OpenLine();
    return pieces;
  }

  /** Applies the sequence at a position. Returns its length, or null if it is incomplete. */
  #obey(text: string, at: number): number | null {
    sequence.lastIndex = at;
    const found = sequence.exec(text);
    if (found === null) return this.#mayGoOn(text, at) ? null : 1;
    const [whole, given = '', final] = found;
    const count = Number(given.split(';')[0]) || 0;
    if (final === 'm') this.#style = this.#styles.after(this.#style, given);
    else if (final === 'K') this.#line.erase(count);
    else if (final === 'G') this.#line.moveTo(count - 1);
    else if (final === 'C') this.#line.move(Math.max(1, count));
    else if (final === 'D') this.#line.move(-Math.max(1, count));
    return whole.length;
  }

  #mayGoOn(text: string, at: number): boolean {
    const begun = /^(?:$|\[[0-9;:?<=>]*[ -/]*$|[\]PX^_]|[ -/]+$)/;
    return text.length - at < longestSequence && begun.test(text.slice(at + 1));
  }
}
