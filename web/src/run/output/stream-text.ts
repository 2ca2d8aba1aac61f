import { KnownStyles } from './known-styles.ts';
import { OpenLine, type StyledText } from './open-line.ts';
import type { TextStyle } from './text-style.ts';

/** What is longer goes on in the next line: to lay it out would take the page too long. */
const longestLine = 10_000;
/** A sequence that has not ended by then is none. */
const longestSequence = 4096;

/** An escape sequence: CSI, a string (title, link, device) with its end, or another short one. What it stands for is in the groups. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
  /\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|[ -/]*[0-OQ-WYZ\\`-~])/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const special = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

/** Makes lines of what a stream says, as a terminal would show them. Sequences may be cut anywhere between two pieces. */
export class StreamText {
  readonly #styles = new KnownStyles();
  #line = new OpenLine();
  #style: TextStyle | null = null;
  /** The beginning of a sequence whose rest has not come yet. */
  #rest = '';

  /** What is there of the line that has not ended; null when nothing is. */
  get open(): readonly StyledText[] | null {
    return this.#line.isEmpty ? null : this.#line.pieces();
  }

  /** Takes what was written, and gives out each line that has ended with it. */
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
        // The usual end of a line on Windows need not be taken for a way back.
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
      // Other control characters show nothing.
    }
  }

  /** Ends the line that is open, since something else stands between it and what follows. */
  cut(): readonly StyledText[] | null {
    this.#rest = '';
    return this.#line.isEmpty ? null : this.#endLine();
  }

  #write(text: string, onLine: (pieces: readonly StyledText[]) => void): void {
    let rest = text;
    while (this.#line.length + rest.length > longestLine) {
      const room = Math.max(1, longestLine - this.#line.length);
      // Not between the halves of a character.
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

  /** How long the sequence there is; null when its end has not come yet. */
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
