import { FolderOpen } from 'lucide-react';
import { Fragment } from 'react';

import { callService, RefusedError } from '../../api/call-service.ts';
import { useSay } from '../../language/language.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { useToast } from '../../parts/toasts.tsx';

/** A path on the machine that runs Hob. A click opens its folder there. */
export function PathValue({ path }: { path: string }) {
  const say = useSay();
  const toast = useToast();
  const label = say(`Open the folder of ${path}`, `打开所在文件夹：${path}`);
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
      <button
        type="button"
        title={label}
        aria-label={label}
        className="inline-flex min-w-0 items-center gap-1.5 rounded text-left text-accent hover:underline"
        onClick={() => void open()}
      >
        <span className="min-w-0 wrap-anywhere">
          {path.split(/(?<=[\\/])/).map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one path
            <Fragment key={at}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </span>
        <FolderOpen size={15} aria-hidden className="shrink-0" />
      </button>
      <CopyButton text={path} label={say(`Copy path ${path}`, `复制路径 ${path}`)} />
    </span>
  );
}
