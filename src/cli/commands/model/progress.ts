import { formatBytes, formatClock } from '../../../contract/quantities.ts';
import type { Download } from '../../../contract/types.ts';
import { tr } from '../../language.ts';
import { bar, DrawnLine, type Screen } from '../../terminal/drawn-line.ts';
import { cutToWidth, padToWidth, widthOf } from '../../terminal/text.ts';

const narrowestBar = 10;
const widestBar = 30;
const gap = '  ';
const colon = tr(': ', '：');
const looking = tr('listing files', '正在查看有哪些文件');

/**
 * The progress on one line of at most `columns` columns. Less important parts are left out if there is no room. Numbers keep their
 * width, so that the line does not jump. The bar is ASCII, because block characters have different widths in different fonts.
 */
export function progressLine(download: Download, columns: number): string {
  const { bytes_total, bytes_done } = download;
  const name = cutToWidth(download.repo_id, Math.max(12, Math.floor(columns / 3)));
  if (bytes_total === null) return cutToWidth(`${name}${gap}${looking} ...`, columns);
  const fraction = fractionDone(download);
  const percent = `${Math.floor(fraction * 100)}%`.padStart(5);
  const size = ofTotal(padToWidth(formatBytes(bytes_done), 7, 'right'), formatBytes(bytes_total));
  const rate = padToWidth(rateOf(download), 9, 'right');
  const left = padToWidth(leftOf(download), 10, 'right');
  const files = filesOf(download);
  for (const details of [[size, rate, left, files], [size, rate, left], [size, left], [left], []]) {
    const text = [percent, ...details].join(gap);
    const room = columns - widthOf(name) - gap.length - widthOf(text);
    if (room < narrowestBar + 2) continue;
    return `${name}${gap}${bar(fraction, Math.min(room - 2, widestBar))}${text}`;
  }
  return cutToWidth(`${percent.trim()} ${name}`, columns);
}

/** The progress as a sentence, for a log. */
export function progressSentence(download: Download): string {
  const { repo_id, bytes_done, bytes_total } = download;
  if (bytes_total === null) return `${repo_id}${colon}${looking}`;
  const percent = Math.floor(fractionDone(download) * 100);
  const details = [
    ofTotal(formatBytes(bytes_done), formatBytes(bytes_total)),
    rateOf(download),
    leftOf(download),
  ];
  const known = [`${percent}%`, ...details, filesOf(download).trim()].filter((each) => each !== '');
  return `${repo_id}${colon}${known.join(tr(', ', '，'))}`;
}

/** Between 0 and 1; 1 if there is nothing to download. */
function fractionDone({ bytes_done, bytes_total }: Download): number {
  if (bytes_total === null) return 0;
  return bytes_total === 0 ? 1 : Math.min(1, bytes_done / bytes_total);
}

function ofTotal(done: string, total: string): string {
  return tr(`${done} of ${total}`, `${done} / ${total}`);
}

function rateOf({ bytes_per_s }: Download): string {
  return bytes_per_s === null ? '' : `${formatBytes(bytes_per_s)}/s`;
}

function leftOf({ seconds_left }: Download): string {
  if (seconds_left === null) return '';
  const duration = formatClock(seconds_left);
  return tr(`${duration} left`, `剩余 ${duration}`);
}

function filesOf({ files_done, files_total }: Download): string {
  if (files_total === null) return '';
  const done = padToWidth(String(files_done), String(files_total).length, 'right');
  return `${done}/${files_total} ${tr('files', '个文件')}`;
}

const betweenLinesMs = 5000;
const tenths = 10;

/** Shows the progress of a download: one line that is redrawn on a terminal; separate lines elsewhere. */
export function displayOn(screen: Screen, nowMs: () => number) {
  if (screen.isTTY === true) {
    const line = new DrawnLine(screen);
    return {
      show: (download: Download) => line.draw((columns) => progressLine(download, columns)),
      clear: () => line.clear(),
    };
  }
  let next: { atMs: number; tenth: number } | null = null;
  return {
    show(download: Download) {
      const now = nowMs();
      const tenth = Math.floor(fractionDone(download) * tenths);
      const isDue = next === null || now >= next.atMs || tenth >= next.tenth;
      // The caller prints the final message.
      if (!isDue || download.state !== 'running') return;
      screen.write(`${progressSentence(download)}\n`);
      next = { atMs: now + betweenLinesMs, tenth: tenth + 1 };
    },
    clear() {
      next = null;
    },
  };
}
