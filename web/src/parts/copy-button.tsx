import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

import { useSay } from '../language/language.tsx';
import { IconButton } from './button.tsx';
import { useToast } from './toasts.tsx';

const confirmedMs = 1500;

/** `text` may be a function, for long or frequently changing texts. */
export function CopyButton({ text, label }: { text: string | (() => string); label?: string }) {
  const say = useSay();
  const copyText = useCopyText();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(typeof text === 'string' ? text : text())) setCopied(true);
  };
  return (
    <IconButton
      label={isCopied ? say('Copied', '已复制') : (label ?? say('Copy', '复制'))}
      className="size-7"
      onClick={() => void copy()}
    >
      {isCopied ? <Check size={15} aria-hidden className="text-good" /> : <Copy size={15} aria-hidden />}
    </IconButton>
  );
}

/** Returns a function that copies a text, and shows a hint and returns false if the browser does not allow it. */
export function useCopyText(): (text: string) => Promise<boolean> {
  const say = useSay();
  const toast = useToast();
  return async (text) => {
    try {
      await writeClipboard(text);
      return true;
    } catch {
      toast({
        kind: 'error',
        title: say('The browser blocked copying', '浏览器不允许复制'),
        message: say('Select the text and press Ctrl+C.', '请选中文本，然后按 Ctrl+C。'),
      });
      return false;
    }
  };
}

async function writeClipboard(text: string): Promise<void> {
  // A page loaded over plain HTTP from another machine has no clipboard API, but may copy a selection.
  if (isSecureContext) await navigator.clipboard.writeText(text);
  else copyBySelection(text);
}

function copyBySelection(text: string): void {
  // Not an input: it would need the focus, which an open dialog traps.
  const place = document.createElement('span');
  place.textContent = 'copy';
  place.className = 'fixed top-0 opacity-0 select-text';
  place.setAttribute('aria-hidden', 'true');
  place.addEventListener('copy', (event) => {
    event.preventDefault();
    event.stopPropagation();
    event.clipboardData?.setData('text/plain', text);
  });
  document.body.append(place);
  const selection = getSelection();
  const before = rangesOf(selection);
  selection?.selectAllChildren(place);
  const isCopied = document.execCommand('copy');
  place.remove();
  selection?.removeAllRanges();
  for (const range of before) selection?.addRange(range);
  if (!isCopied) throw new Error('the browser did not copy the text');
}

function rangesOf(selection: Selection | null): readonly Range[] {
  return selection === null || selection.rangeCount === 0 ? [] : [selection.getRangeAt(0)];
}
