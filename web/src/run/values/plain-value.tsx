import { FolderOpen } from 'lucide-react';
import { Fragment, useState } from 'react';
import { callService, RefusedError } from '../../api/call-service.ts';
import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { isPath } from './value-kind.ts';

const foldedAfter = 300;
/** Longer texts are cut, because their layout would block the page. Copying gives the full text. */
const mostShown = 100_000;

export function PlainValue({ value }: { value: unknown }) {
  if (typeof value !== 'string') return <span className="text-busy">{String(value)}</span>;
  if (value === '') return <span className="text-muted">""</span>;
  if (isPath(value)) return <PathValue path={value} />;
  if (value.length > foldedAfter) return <LongText text={value} />;
  return <span className="whitespace-pre-wrap wrap-anywhere">{value}</span>;
}

/** A long text, collapsed at first. */
function LongText({ text }: { text: string }) {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  const count = text.length.toLocaleString('en');
  return (
    <span className="min-w-0">
      <span className="block whitespace-pre-wrap wrap-anywhere">
        {text.slice(0, isOpen ? mostShown : foldedAfter)}
        {(!isOpen || text.length > mostShown) && ' …'}
      </span>
      <span className="mt-1 flex items-center gap-1">
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen
            ? say('Show less', '收起')
            : say(`Show more (${count} characters)`, `展开全部 ${count} 个字符`)}
        </Button>
        <CopyButton text={text} />
      </span>
    </span>
  );
}

/** A path on the machine that runs Hob. A click opens its folder there. */
function PathValue({ path }: { path: string }) {
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
