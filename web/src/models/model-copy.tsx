import { Lock, Trash2 } from 'lucide-react';
import { useState } from 'react';

import type { Model } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { IconButton } from '../parts/button.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { placeWord } from './model-words.ts';

interface ModelCopyProps {
  readonly model: Model;
  readonly isDownloading: boolean;
  readonly onRemove: () => void;
}

/** The copy of a model in one place, with a delete button if Hob may delete it. */
export function ModelCopy({ model, isDownloading, onRemove }: ModelCopyProps) {
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
