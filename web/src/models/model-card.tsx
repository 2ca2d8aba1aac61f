import {
  CircleCheck,
  CircleDashed,
  CloudDownload,
  Download as DownloadIcon,
  LoaderCircle,
  X,
} from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';

import { useSay } from '../language/language.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { requestFor, useModelActions } from './download-actions.ts';
import { DownloadProgress } from './download-progress.tsx';
import { type GatheredModel, isSameModel } from './gather-models.ts';
import { ModelCopy } from './model-copy.tsx';
import { sourceNames, stateWord } from './model-words.ts';

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
      {neededBy.map(({ script_id, script_name }, index) => (
        <span key={script_id}>
          {index > 0 && say(', ', '、')}
          <Link href={`/scripts/${script_id}`} className="text-ink underline underline-offset-2">
            {script_name}
          </Link>
        </span>
      ))}
    </span>
  );
}
