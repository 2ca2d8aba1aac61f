import { DrawnLine, type Screen } from '../terminal/drawn-line.ts';
import type { Download } from './download.ts';
import { fractionDone, progressLine, progressSentence } from './progress-line.ts';

/** Shows the progress of a download. */
export interface ProgressDisplay {
  show(download: Download): void;
  /** Removes the progress line. */
  clear(): void;
}

/** One line that is redrawn on a terminal; separate lines elsewhere. */
export function displayOn(screen: Screen, nowMs: () => number): ProgressDisplay {
  return screen.isTTY === true ? new OneLine(screen) : new PlainLines(screen, nowMs);
}

class OneLine implements ProgressDisplay {
  readonly #line: DrawnLine;

  constructor(screen: Screen) {
    this.#line = new DrawnLine(screen);
  }

  show(download: Download): void {
    this.#line.draw((columns) => progressLine(download, columns));
  }

  clear(): void {
    this.#line.clear();
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
    // The caller prints the final message.
    if (!isDue || download.state !== 'running') return;
    this.#screen.write(`${progressSentence(download)}\n`);
    this.#next = { atMs: now + betweenLinesMs, tenth: tenth + 1 };
  }

  clear(): void {
    this.#next = null;
  }
}
