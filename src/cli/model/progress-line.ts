import { bar } from '../terminal/bar.ts';
import { formatBytes, formatDuration } from '../terminal/quantities.ts';
import { cutToWidth, padToWidth, widthOf } from '../terminal/text-width.ts';
import type { Download } from './download.ts';

const narrowestBar = 10;
const widestBar = 30;
const gap = '  ';

/**
 * How far a download is, on one line that fits into so many columns: what matters less is left out where there is no room.
 * Numbers keep their width, so that nothing jumps. All of it is ASCII: blocks are wide in some fonts and narrow in others.
 */
export function progressLine(download: Download, columns: number): string {
  const { bytesTotal, bytesDone } = download;
  const name = cutToWidth(download.repoId, Math.max(12, Math.floor(columns / 3)));
  if (bytesTotal === null) return cutToWidth(`${name}${gap}looking at what there is ...`, columns);
  const fraction = fractionDone(download);
  const percent = `${Math.floor(fraction * 100)}%`.padStart(5);
  const size = `${padToWidth(formatBytes(bytesDone), 7, 'right')} of ${formatBytes(bytesTotal)}`;
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

/** The same in words, for a log. */
export function progressSentence(download: Download): string {
  const { repoId, bytesDone, bytesTotal } = download;
  if (bytesTotal === null) return `${repoId}: looking at what there is`;
  const percent = Math.floor(fractionDone(download) * 100);
  const details = [
    `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`,
    rateOf(download),
    leftOf(download),
  ];
  return `${repoId}: ${percent}%, ${[...details, filesOf(download).trim()].filter((each) => each !== '').join(', ')}`;
}

/** Between 0 and 1. Nothing to fetch is all of it. */
export function fractionDone({ bytesDone, bytesTotal }: Download): number {
  if (bytesTotal === null) return 0;
  return bytesTotal === 0 ? 1 : Math.min(1, bytesDone / bytesTotal);
}

function rateOf({ bytesPerSecond }: Download): string {
  return bytesPerSecond === null ? '' : `${formatBytes(bytesPerSecond)}/s`;
}

function leftOf({ secondsLeft }: Download): string {
  return secondsLeft === null ? '' : `${formatDuration(secondsLeft)} left`;
}

function filesOf({ filesDone, filesTotal }: Download): string {
  if (filesTotal === null) return '';
  return `${padToWidth(String(filesDone), String(filesTotal).length, 'right')}/${filesTotal} files`;
}
