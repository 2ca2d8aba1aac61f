import { FolderOpen } from 'lucide-react';
import { Fragment } from 'react';

import { callService, RefusedError } from '../../api/call-service.ts';
import { useSay } from '../../language/language.tsx';
import { IconButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { useToast } from '../../parts/toasts.tsx';

/** A path on the machine of the service: its folder can be shown there. */
export function PathValue({ path }: { path: string }) {
  const say = useSay();
  const toast = useToast();
  const open = async () => {
    try {
      await callService('/api/open-folder', { method: 'POST', body: { path } });
    } catch (error) {
      const hint = error instanceof RefusedError ? error.hint : null;
      toast({ kind: 'error', title: messageOf(error), message: hint });
    }
  };
  return (
    <span className="-my-1 inline-flex max-w-full items-center gap-0.5">
      <span className="min-w-0 wrap-anywhere">
        {path.split(/(?<=[\\/])/).map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one path
          <Fragment key={at}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </span>
      <CopyButton text={path} label={say(`Copy the path ${path}`, `复制路径 ${path}`)} />
      <IconButton
        label={say(`Open the folder of ${path}`, `打开所在文件夹：${path}`)}
        className="size-7"
        onClick={() => void open()}
      >
        <FolderOpen size={15} aria-hidden />
      </IconButton>
    </span>
  );
}
