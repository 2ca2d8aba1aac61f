import type { Download } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { durationText } from '../parts/time.tsx';

/** The progress of a download, or why it stopped. */
export function DownloadProgress({ download }: { download: Download }) {
  const say = useSay();
  const { state, repo_id: repoId, error } = download;
  if (state === 'failed')
    return (
      <div role="alert" className="rounded-lg bg-bad-ground px-3 py-2">
        <p className="break-words text-bad">{error?.message ?? say('Download failed', '下载失败')}</p>
        {error !== null && error.hint !== '' && <p className="break-words">{error.hint}</p>}
      </div>
    );
  if (state === 'cancelled')
    return (
      <p className="text-muted">
        {say('Stopped. The partial download is kept: ', '已停止，已下载的部分会保留：')}
        {amountText(download, say)}
      </p>
    );
  return (
    <div className="flex flex-col gap-1.5">
      <ProgressBar
        fraction={fractionOf(download)}
        label={say(`Downloading ${repoId}`, `正在下载 ${repoId}`)}
      />
      <p className="text-[13px] text-muted tabular-nums">{progressText(download, say)}</p>
    </div>
  );
}

/** From 0 to 1; null while the total size is unknown. */
function fractionOf({ bytes_done: done, bytes_total: total }: Download): number | null {
  if (total === null) return null;
  return total === 0 ? 1 : Math.min(1, done / total);
}

function progressText(download: Download, say: Say): string {
  const { bytes_per_s: rate, seconds_left: left, files_done: files, files_total: all } = download;
  const fraction = fractionOf(download);
  if (fraction === null) return say('Listing files…', '正在查看有哪些文件……');
  return [
    `${Math.floor(fraction * 100)}%`,
    amountText(download, say),
    rate === null ? '' : `${bytesText(rate)}/s`,
    left === null ? '' : leftText(left, say),
    all === null ? '' : say(`${files} of ${all} files`, `${files} / ${all} 个文件`),
  ]
    .filter(Boolean)
    .join(' · ');
}

function amountText({ bytes_done: done, bytes_total: total }: Download, say: Say): string {
  if (total === null) return bytesText(done);
  return say(`${bytesText(done)} of ${bytesText(total)}`, `${bytesText(done)} / ${bytesText(total)}`);
}

function leftText(seconds: number, say: Say): string {
  // Whole seconds, because changing tenths are distracting.
  const text = seconds < 60 ? `${Math.ceil(seconds)} s` : durationText(seconds * 1000);
  return say(`${text} left`, `剩余 ${text}`);
}
