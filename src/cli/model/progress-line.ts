import { tr } from '../language.ts';
import { bar } from '../terminal/bar.ts';
import { formatBytes, formatDuration } from '../terminal/quantities.ts';
import { cutToWidth, padToWidth, widthOf } from '../terminal/text-width.ts';
import type { Download } from './download.ts';

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
  const { bytesTotal, bytesDone } = download;
  const name = cutToWidth(download.repoId, Math.max(12, Math.floor(columns / 3)));
  if (bytesTotal === null) return cutToWidth(`${name}${gap}${looking} ...`, columns);
  const fraction = fractionDone(download);
  const percent = `${Math.floor(fraction * 100)}%`.padStart(5);
  const size = ofTotal(padToWidth(formatBytes(bytesDone), 7, 'right'), formatBytes(bytesTotal));
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
  const { repoId, bytesDone, bytesTotal } = download;
  if (bytesTotal === null) return `${repoId}${colon}${looking}`;
  const percent = Math.floor(fractionDone(download) * 100);
  const details = [
    ofTotal(formatBytes(bytesDone), formatBytes(bytesTotal)),
    rateOf(download),
    leftOf(download),
  ];
  const known = [`${percent}%`, ...details, filesOf(download).trim()].filter((each) => each !== '');
  return `${repoId}${colon}${known.join(tr(', ', '，'))}`;
}

/** Between 0 and 1; 1 if there is nothing to download. */
export function fractionDone({ bytesDone, bytesTotal }: Download): number {
  if (bytesTotal === null) return 0;
  return bytesTotal === 0 ? 1 : Math.min(1, bytesDone / bytesTotal);
}

function ofTotal(done: string, total: string): string {
  return tr(`${done} of ${total}`, `${done} / ${total}`);
}

function rateOf({ bytesPerSecond }: Download): string {
  return bytesPerSecond === null ? '' : `${formatBytes(bytesPerSecond)}/s`;
}

function leftOf({ secondsLeft }: Download): string {
  if (secondsLeft === null) return '';
  const duration = formatDuration(secondsLeft);
  return tr(`${duration} left`, `剩余 ${duration}`);
}

function filesOf({ filesDone, filesTotal }: Download): string {
  if (filesTotal === null) return '';
  const done = padToWidth(String(filesDone), String(filesTotal).length, 'right');
  return `${done}/${filesTotal} ${tr('files', '个文件')}`;
}
