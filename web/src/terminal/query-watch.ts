import type { IFunctionIdentifier, Terminal } from '@xterm/xterm';

import { splitQueries } from './split-queries.ts';

const controlQueries: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
];
/** Among what this switches on is that the focus is told, and the terminal tells it at once. */
const modeSwitch: IFunctionIdentifier = { prefix: '?', final: 'h' };
/** A colour of the palette, the foreground, the background, the cursor. */
const colourQueries = [4, 10, 11, 12];

const lead = '\x1b';
const focusReports: ReadonlySet<string> = new Set([`${lead}[I`, `${lead}[O`]);
const mouseReportStart = `${lead}[<`;

interface Answer {
  readonly text: string;
  /** How much the script had written when it asked. */
  readonly askedAt: number;
}

interface QueryListener {
  onTyped: (text: string) => void;
  onAnswer: (answer: Answer) => void;
}

/**
 * Tells what the terminal answers to a program from what a person types: both come by the same way, and of the answers only the first of all
 * pages counts. So each is known by how much the program had written when it asked.
 *
 * What was written before the page looked asks nothing any more: who has written something else since has its answer, or has given up, and
 * would read another one as typed. Only what was asked last may still be waited for.
 */
export class QueryWatch {
  readonly #terminal: Terminal;
  readonly #listener: QueryListener;
  #oldBytes = 0;
  #drawnBytes = 0;
  #endBytes = 0;
  #isQuery = false;
  /** To what was asked last, by all that is known until now. */
  #lastAnswers: Answer[] = [];
  #isOwn = false;
  #isClosed = false;
  #noteDrawn = (): void => {};

  constructor(terminal: Terminal, listener: QueryListener) {
    this.#terminal = terminal;
    this.#listener = listener;
    const { parser } = terminal;
    // These come before the handlers that answer, and leave that to them.
    const note = () => {
      this.#isOwn = true;
      // Those answer in this turn, and nobody can type in it.
      queueMicrotask(() => {
        this.#isOwn = false;
      });
      return false;
    };
    for (const id of [...controlQueries, modeSwitch]) parser.registerCsiHandler(id, note);
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, note);
    for (const id of colourQueries) parser.registerOscHandler(id, note);
    terminal.onData((text) => (this.#isOwn ? this.#takeOwn(text) : this.#takeTyped(text)));
  }

  /** So much was written before the page looked. */
  takeForOld(bytes: number): void {
    this.#oldBytes = bytes;
    if (!this.#isBehind) this.#answerLast();
  }

  /** Shows what the script has written from one offset to another. Resolves when it is drawn. */
  async write(text: string, offset: number, endOffset: number): Promise<void> {
    for (const part of splitQueries(text, offset)) {
      if (this.#isClosed) return;
      if (part.endBytes > this.#oldBytes) this.#answerLast();
      if (!part.isQuery) this.#lastAnswers = [];
      this.#endBytes = part.endBytes;
      this.#isQuery = part.isQuery;
      await new Promise<void>((resolve) => {
        this.#noteDrawn = resolve;
        this.#terminal.write(part.text, resolve);
      });
    }
    this.#drawnBytes = endOffset;
    if (!this.#isBehind) this.#answerLast();
  }

  /** Nothing is drawn any more, and nobody waits for it. */
  close(): void {
    this.#isClosed = true;
    this.#noteDrawn();
  }

  get #isBehind(): boolean {
    return this.#drawnBytes < this.#oldBytes;
  }

  #takeOwn(text: string): void {
    // Nobody asks for it with that: it is to be told when it changes.
    if (focusReports.has(text)) return;
    const answer = { text, askedAt: this.#endBytes };
    if (this.#endBytes > this.#oldBytes) this.#listener.onAnswer(answer);
    else if (this.#isQuery) this.#lastAnswers.push(answer);
  }

  #takeTyped(text: string): void {
    // The program may have switched that off by now.
    const isOutdated = this.#isBehind && (focusReports.has(text) || text.startsWith(mouseReportStart));
    if (!isOutdated) this.#listener.onTyped(text);
  }

  #answerLast(): void {
    for (const answer of this.#lastAnswers.splice(0)) this.#listener.onAnswer(answer);
  }
}
