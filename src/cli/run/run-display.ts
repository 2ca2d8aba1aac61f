import { DrawnLine } from '../terminal/drawn-line.ts';
import { OutputStream } from '../terminal/output-stream.ts';
import { progressLine, type RunProgress } from './progress-line.ts';

export type StreamName = 'stdout' | 'stderr';

/** Where what a run writes and says goes. */
export interface RunDisplay {
  output(stream: StreamName, bytes: Uint8Array): Promise<void>;
  progress(progress: RunProgress): void;
  /** A line of the command itself. */
  say(line: string): void;
  /** Leaves the cursor at the beginning of a line of its own. */
  clear(): void;
}

interface PassingDisplay extends RunDisplay {
  /** Whether somebody still reads what goes to stdout. */
  readonly isRead: boolean;
}

/** Passes on every byte as it comes, each stream to its own; at a terminal the progress stands below. */
export function passingDisplay(): PassingDisplay {
  const streams = { stdout: new OutputStream(process.stdout), stderr: new OutputStream(process.stderr) };
  const line = drawnProgress();
  const isMidLine = () =>
    Object.values(streams).some(({ isTerminal, isAtLineStart }) => isTerminal && !isAtLineStart);
  const clear = () => {
    line.clear();
    if (isMidLine()) process.stderr.write('\n');
  };
  return {
    get isRead() {
      return streams.stdout.isOpen;
    },
    async output(name, bytes) {
      const stream = streams[name];
      if (stream.isTerminal) line.clear();
      await stream.write(bytes);
      // A line that is not finished must not be drawn over.
      if (!isMidLine()) line.redraw();
    },
    progress(progress) {
      line.set(progress);
      if (!isMidLine()) line.redraw();
    },
    say(text) {
      clear();
      sayLine(text);
      line.redraw();
    },
    clear,
  };
}

/** Keeps what a run writes for an answer in one piece. */
export class CollectingDisplay implements RunDisplay {
  readonly #chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  readonly #line = drawnProgress();

  async output(stream: StreamName, bytes: Uint8Array): Promise<void> {
    this.#chunks[stream].push(bytes);
  }

  progress(progress: RunProgress): void {
    this.#line.set(progress);
    this.#line.redraw();
  }

  say(line: string): void {
    this.#line.clear();
    sayLine(line);
  }

  clear(): void {
    this.#line.clear();
  }

  textOf(stream: StreamName): string {
    return Buffer.concat(this.#chunks[stream]).toString();
  }
}

/** Over the ^C that a terminal may have written there. */
function sayLine(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r${text}\u001b[K\n` : `${text}\n`);
}

/** The line of the progress on stderr; nowhere where there is no terminal. */
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
