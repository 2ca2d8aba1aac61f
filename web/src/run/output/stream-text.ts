import { KnownStyles } from './known-styles.ts';
import { OpenLine, type StyledText } from './open-line.ts';
import type { TextStyle } from './text-style.ts';

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
