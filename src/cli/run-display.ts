import { bar, DrawnLine } from './terminal/drawn-line.ts';
import { cutToWidth, printable } from './terminal/text.ts';

const barColumns = 24;

const gap = '  ';

interface RunProgress {
  readonly fraction: number | null;
  readonly message: string | null;
}

export type StreamName = 'stdout' | 'stderr';

export interface RunDisplay {
  output(stream: StreamName, bytes: Uint8Array): Promise<void>;
  progress(progress: RunProgress): void;
  /** A message of the command itself. */
  say(line: string): void;
  /** Removes the progress line and leaves the cursor at the start of an empty line. */
  clear(): void;
}

/** Copies each stream to the same stream of the command. On a terminal, the progress is shown below. */
export function passingDisplay() {
  const streams = { stdout: new OutputStream(process.stdout), stderr: new OutputStream(process.stderr) };
  const line = drawnProgress();
  const isMidLine = () =>
    Object.values(streams).some(({ isTerminal, isAtLineStart }) => isTerminal && !isAtLineStart);
  const clear = () => {
    line.clear();
    if (isMidLine()) process.stderr.write('\n');
  };
  return {
    isRead: () => streams.stdout.isOpen,
    async output(name: StreamName, bytes: Uint8Array) {
      const stream = streams[name];
      if (stream.isTerminal) line.clear();
      await stream.write(bytes);
      // The progress line must not overwrite an unfinished line.
      if (!isMidLine()) line.redraw();
    },
    progress(progress: RunProgress) {
      line.set(progress);
      if (!isMidLine()) line.redraw();
    },
    say(text: string) {
      clear();
      sayLine(text);
      line.redraw();
    },
    clear,
  };
}

export function collectingDisplay() {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const line = drawnProgress();
  return {
    async output(stream: StreamName, bytes: Uint8Array) {
      chunks[stream].push(bytes);
    },
    progress(progress: RunProgress) {
      line.set(progress);
      line.redraw();
    },
    say(text: string) {
      line.clear();
      sayLine(text);
    },
    clear: line.clear,
    textOf: (stream: StreamName) => Buffer.concat(chunks[stream]).toString(),
  };
}

/** Overwrites the ^C that a terminal may have echoed. */
function sayLine(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r${text}\u001b[K\n` : `${text}\n`);
}

/** The progress line on stderr. Without a terminal, nothing is drawn. */
function drawnProgress() {
  const line = new DrawnLine(process.stderr);
  let latest: RunProgress | null = null;
  return {
    set(progress: RunProgress) {
      latest = progress;
    },
    redraw() {
      const shown = latest;
      if (shown !== null && process.stderr.isTTY) line.draw((columns) => progressLine(shown, columns));
    },
    clear: () => line.clear(),
  };
}

/** `[======>      ]  40%  page 4 of 10`, cut to the given number of columns. */
function progressLine({ fraction, message }: RunProgress, columns: number): string {
  const text = printable(message ?? '').replaceAll('\n', ' ');
  if (fraction === null) return cutToWidth(text, columns);
  const done = Math.min(1, Math.max(0, fraction));
  const percent = `${Math.floor(done * 100)}%`.padStart(4);
  return cutToWidth(`${bar(done, barColumns)} ${percent}${text === '' ? '' : gap + text}`, columns);
}

const lineEnd = 0x0a;

/** Writes bytes to stdout or stderr with back-pressure. */
export class OutputStream {
  readonly #stream: NodeJS.WriteStream;
  isAtLineStart = true;
  /** Whether the stream still has a reader: a pipe into `head` closes early. */
  isOpen = true;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    // The write callback reports errors. Without a listener, the event would end the process.
    stream.on('error', () => {});
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.isOpen || bytes.length === 0) return;
    this.isAtLineStart = bytes.at(-1) === lineEnd;
    await new Promise<void>((resolve) => {
      this.#stream.write(bytes, (error) => {
        // A full disk is reported at the end. Until then the run is still followed and can be cancelled.
        if (error) this.isOpen = false;
        resolve();
      });
    });
  }
}
