import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

import { useSay } from '../language/language.tsx';
import { IconButton } from './button.tsx';
import { copyText } from './copy-text.ts';
import { useToast } from './toasts.tsx';

const confirmedMs = 1500;

/** `text` may be a function, for long or frequently changing texts. */
export function CopyButton({ text, label }: { text: string | (() => string); label?: string }) {
  const say = useSay();
  const toast = useToast();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : text());
      setCopied(true);
    } catch {
      toast({
        kind: 'error',
        title: say('The browser blocked copying', '浏览器不允许复制'),
        message: say('Select the text and press Ctrl+C.', '请选中文本，然后按 Ctrl+C。'),
      });
    }
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
