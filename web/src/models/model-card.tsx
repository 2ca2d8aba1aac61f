import {
  CircleCheck,
  CircleDashed,
  CloudDownload,
  Download as DownloadIcon,
  LoaderCircle,
  Lock,
  Trash2,
  X,
} from 'lucide-react';
import { memo, useState } from 'react';

import type { Download, Model } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { bytesText, durationText } from '../parts/format.ts';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { ScriptLinks } from '../parts/script-links.tsx';
import { requestFor, useModelActions } from './download-actions.ts';
import { type GatheredModel, isSameModel } from './gather-models.ts';
import { placeWord, sourceNames, stateWord } from './model-words.ts';

const looks = {
  complete: { icon: CircleCheck, ink: 'text-good' },
  partial: { icon: CircleDashed, ink: 'text-warn' },
  missing: { icon: CloudDownload, ink: 'text-warn' },
} as const;

interface ModelCardProps {
  readonly model: GatheredModel;
  /** Hides a download for good. */
  readonly onDismiss: (downloadId: string) => void;
}

export const ModelCard = memo(
  Card,
  (before, after) => before.onDismiss === after.onDismiss && isSameModel(before.model, after.model),
);

function Card({ model, onDismiss }: ModelCardProps) {
  const say = useSay();
  const { start, cancel, remove, onError } = useModelActions();
  const { repoId, source, state, copies, download } = model;
  const isRunning = download?.state === 'running';
  // The end of an earlier download does not matter once the model is complete.
  const isShown = download !== null && download.state !== 'done' && (isRunning || state !== 'complete');
  // No files and no script requires it: the card exists only because of the download.
  const isIdle = !isRunning && copies.length === 0 && model.neededBy.length === 0;
  const { icon: Icon, ink } = looks[state];
  return (
    <li
      aria-label={repoId}
      className="flex flex-col gap-2 rounded-xl border border-line bg-surface p-4 [contain-intrinsic-size:auto_6rem] [content-visibility:auto]"
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        {isRunning ? (
          <LoaderCircle size={18} aria-hidden className="mt-0.5 shrink-0 animate-spin text-busy" />
        ) : (
          <Icon size={18} aria-hidden className={classes('mt-0.5 shrink-0', ink)} />
        )}
        <div className="min-w-0 grow basis-48">
          <h2 className="font-medium break-all">{repoId}</h2>
          <p className="flex flex-wrap gap-x-3 text-[13px] text-muted">
            <span className={isRunning ? 'text-busy' : ink}>
              {isRunning ? say('Downloading', '下载中') : stateWord(state, say)}
            </span>
            {source !== null && <span>{sourceNames[source]}</span>}
            <NeededBy model={model} />
          </p>
        </div>
        {isRunning ? (
          <Button size="small" isBusy={cancel.isPending} onClick={() => cancel.mutate(download)}>
            {say('Stop', '停止')}
          </Button>
        ) : (
          state !== 'complete' && (
            <Button
              size="small"
              isBusy={start.isPending}
              onClick={() => start.mutate(requestFor(model), { onError })}
            >
              <DownloadIcon size={14} aria-hidden />
              {state === 'partial' || download?.state === 'cancelled'
                ? say('Resume', '继续下载')
                : say('Download', '下载')}
            </Button>
          )
        )}
        {isIdle && download !== null && (
          <IconButton
            label={say(`Dismiss ${repoId}`, `不再显示 ${repoId}`)}
            className="-my-1 -mr-1.5"
            onClick={() => onDismiss(download.download_id)}
          >
            <X size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {isShown && <DownloadProgress download={download} />}
      {copies.length > 0 && (
        <ul className="flex flex-col md:pl-7.5">
          {copies.map((copy) => (
            <ModelCopy
              key={copy.folder}
              model={copy}
              isDownloading={isRunning || remove.isPending}
              onRemove={() => remove.mutate(copy)}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

function NeededBy({ model: { neededBy } }: { model: GatheredModel }) {
  const say = useSay();
  if (neededBy.length === 0) return <span>{say('not required by any script', '没有脚本需要它')}</span>;
  return (
    <span className="min-w-0 break-words">
      {say('required by ', '用于 ')}
      <ScriptLinks scripts={neededBy} />
    </span>
  );
}

/** The progress of a download, or why it stopped. */
function DownloadProgress({ download }: { download: Download }) {
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

interface ModelCopyProps {
  readonly model: Model;
  readonly isDownloading: boolean;
  readonly onRemove: () => void;
}

/** The copy of a model in one place, with a delete button if Hob may delete it. */
function ModelCopy({ model, isDownloading, onRemove }: ModelCopyProps) {
  const say = useSay();
  const [isAsking, setAsking] = useState(false);
  const { repo_id: repoId, place, folder, size_bytes: size, is_removable: isRemovable } = model;
  if (place === null || folder === null) return null;
  return (
    <li className="flex min-h-8 items-center gap-x-3 text-[13px]">
      <div className="flex min-w-0 grow flex-wrap items-baseline gap-x-3">
        <span className="shrink-0 tabular-nums">{bytesText(size)}</span>
        <span className="shrink-0 text-muted">{placeWord(place, say)}</span>
        <span className="min-w-0 truncate font-mono text-xs text-muted max-md:basis-full" title={folder}>
          {folder}
        </span>
      </div>
      <div className="flex shrink-0 items-center">
        <CopyButton text={folder} label={say('Copy path', '复制路径')} />
        {isRemovable ? (
          <IconButton
            label={say(`Delete ${repoId}`, `删除 ${repoId}`)}
            className="size-7"
            disabled={isDownloading}
            onClick={() => setAsking(true)}
          >
            <Trash2 size={15} aria-hidden />
          </IconButton>
        ) : (
          <NotOurs />
        )}
      </div>
      {isAsking && (
        <Confirm
          isOpen
          title={say(`Delete ${repoId}?`, `删除 ${repoId}？`)}
          description={`${say(`This frees about ${bytesText(size)}.`, `将释放约 ${bytesText(size)}。`)} ${consequence(model, say)}`}
          action={say('Delete', '删除')}
          onConfirm={onRemove}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}

function NotOurs() {
  const say = useSay();
  const reason = say(
    'Hob does not delete files in a folder that is set in model_folders',
    '它位于 model_folders 设置的文件夹中，Hob 不会删除其中的内容',
  );
  return (
    <span role="img" aria-label={reason} title={reason} className="grid size-9 place-items-center text-muted">
      <Lock size={14} aria-hidden />
    </span>
  );
}

function consequence({ needed_by: users, place }: Model, say: ReturnType<typeof useSay>): string {
  const names = users.map(({ script_name }) => script_name);
  if (names.length > 0)
    return say(
      `${names.join(', ')} cannot use it until you download it again.`,
      `在重新下载之前，${names.join('、')} 将无法使用它。`,
    );
  // Other programs on this machine share the caches.
  return place === 'own'
    ? say('You can download it again.', '之后可以重新下载。')
    : say(
        'Other programs that use this cache lose it too. You can download it again.',
        '使用同一缓存的其他程序也会失去它；之后可以重新下载。',
      );
}
