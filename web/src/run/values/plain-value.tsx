import { useState } from 'react';

import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PathValue } from './path-value.tsx';
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
