import type { IFunctionIdentifier, Terminal } from '@xterm/xterm';

const controlQueries: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
];
/** Can switch on focus reporting, which makes the terminal send a report immediately. */
const modeSwitch: IFunctionIdentifier = { prefix: '?', final: 'h' };
/** OSC codes: palette colour, foreground, background, cursor. */
const colourQueries = [4, 10, 11, 12];

export const lead = '\x1b';
const focusReports: ReadonlySet<string> = new Set([`${lead}[I`, `${lead}[O`]);
const mouseReportStart = `${lead}[<`;

interface Answer {
  readonly text: string;
  /** The number of bytes that the script had written when it asked. */
  readonly askedAt: number;
}

interface QueryListener {
  onTyped: (text: string) => void;
  onAnswer: (answer: Answer) => void;
}

/**
 * Separates the answers of the terminal to a program from typed input, because xterm.js reports both in the same way. Several pages may
 * answer, and only the first answer counts, so each answer is identified by the output offset of its query.
 *
 * Queries in old output are not answered: a program that has written something since has its answer or gave up, and would read a late answer
 * as typed input. Only the last query may still be waiting.
 */
export class QueryWatch {
  readonly #terminal: Terminal;
  readonly #listener: QueryListener;
  #oldBytes = 0;
  #drawnBytes = 0;
  #endBytes = 0;
  #isQuery = false;
  /** Answers to the last queries of the old output. */
  #lastAnswers: Answer[] = [];
  #isOwn = false;
  #isClosed = false;
  #noteDrawn = (): void => {};

  constructor(terminal: Terminal, listener: QueryListener) {
    this.#terminal = terminal;
    this.#listener = listener;
    const { parser } = terminal;
    // These handlers run before the built-in ones that answer, and return false to let them run.
    const note = () => {
      this.#isOwn = true;
      // The built-in handlers answer in the same task, in which no input can arrive.
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

  /** Sets the number of bytes that count as old output. */
  setOldBytes(bytes: number): void {
    this.#oldBytes = bytes;
    if (!this.#isBehind) this.#answerLast();
  }

  /** Writes output from one offset to another. Resolves when it is drawn. */
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

  /** Stops drawing, and resolves a pending write. */
  close(): void {
    this.#isClosed = true;
    this.#noteDrawn();
  }

  get #isBehind(): boolean {
    return this.#drawnBytes < this.#oldBytes;
  }

  #takeOwn(text: string): void {
    // Switching on focus reporting is not a query. Only later changes are reported.
    if (focusReports.has(text)) return;
    const answer = { text, askedAt: this.#endBytes };
    if (this.#endBytes > this.#oldBytes) this.#listener.onAnswer(answer);
    else if (this.#isQuery) this.#lastAnswers.push(answer);
  }

  #takeTyped(text: string): void {
    // The program may have switched these reports off in output that is not drawn yet.
    const isOutdated = this.#isBehind && (focusReports.has(text) || text.startsWith(mouseReportStart));
    if (!isOutdated) this.#listener.onTyped(text);
  }

  #answerLast(): void {
    for (const answer of this.#lastAnswers.splice(0)) this.#listener.onAnswer(answer);
  }
}

const stringEnd = `(?:\x07|${lead}\\\\)`;

/**
 * Queries that the terminal answers itself: cursor position, capabilities and colours. It answers after the last character of the
 * sequence.
 */
const query = new RegExp(
  [
    `${lead}\\[[?>]?[\\d;]*(?:[cn]|\\$p)`,
    `${lead}\\](?:4;\\d+|1[0-2]);\\?${stringEnd}`,
    `${lead}P\\$q[^${lead}]*${stringEnd}`,
  ].join('|'),
  'g',
);

interface OutputPart {
  readonly text: string;
  /** The output offset at the end of this part. */
  readonly endBytes: number;
  readonly isQuery: boolean;
}

/** Splits output around terminal queries, so that each query has its own offset. */
export function splitQueries(text: string, offset: number): OutputPart[] {
  const parts: OutputPart[] = [];
  let [from, endBytes] = [0, offset];
  const cut = (end: number, isQuery: boolean) => {
    if (end === from) return;
    const part = text.slice(from, end);
    endBytes += new TextEncoder().encode(part).length;
    parts.push({ text: part, endBytes, isQuery });
    from = end;
  };
  for (const { index, 0: asked } of text.matchAll(query)) {
    cut(index, false);
    cut(index + asked.length, true);
  }
  cut(text.length, false);
  return parts;
}
