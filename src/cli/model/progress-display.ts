import type { Download } from './download.ts';
import { fractionDone, progressLine, progressSentence } from './progress-line.ts';

/** Where the progress of a download is shown. */
export interface ProgressDisplay {
  show(download: Download): void;
  /** Leaves the place free for what comes next. */
  clear(): void;
}

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A line that is drawn over and over on a terminal; lines one below the other elsewhere. */
export function displayOn(screen: Screen, nowMs: () => number): ProgressDisplay {
  return screen.isTTY === true ? new DrawnLine(screen) : new PlainLines(screen, nowMs);
}

const usualColumns = 80;
/** For the ^C that a terminal writes behind the line, and for the last column: behind it some go on to the next line. */
const leftFree = 3;
const toLineStart = '\r';
const eraseRest = '\u001b[K';

class DrawnLine implements ProgressDisplay {
  readonly #screen: Screen;
  #drawn = '';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  show(download: Download): void {
    const line = progressLine(download, (this.#screen.columns || usualColumns) - leftFree);
    if (line === this.#drawn) return;
    // Over the old line, and all at once: a line that is erased first flickers.
    this.#screen.write(toLineStart + line + eraseRest);
    this.#drawn = line;
  }

  clear(): void {
    if (this.#drawn !== '') this.#screen.write(toLineStart + eraseRest);
    this.#drawn = '';
  }
}

const betweenLinesMs = 5000;
const tenths = 10;

class PlainLines implements ProgressDisplay {
  readonly #screen: Screen;
  readonly #nowMs: () => number;
  #next: { atMs: number; tenth: number } | null = null;

  constructor(screen: Screen, nowMs: () => number) {
    this.#screen = screen;
    this.#nowMs = nowMs;
  }

  show(download: Download): void {
    const now = this.#nowMs();
    const tenth = Math.floor(fractionDone(download) * tenths);
    const isDue = this.#next === null || now >= this.#next.atMs || tenth >= this.#next.tenth;
    // The end has a sentence of its own.
    if (!isDue || download.state !== 'running') return;
    this.#screen.write(`${progressSentence(download)}\n`);
    this.#next = { atMs: now + betweenLinesMs, tenth: tenth + 1 };
  }

  clear(): void {
    this.#next = null;
  }
}
