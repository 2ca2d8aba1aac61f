import { ClipboardPaste, Copy, Unplug } from 'lucide-react';
import type { Ref } from 'react';

import { useSay } from '../language/language.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { copyText } from '../parts/copy-text.ts';
import { useToast } from '../parts/toasts.tsx';
import type { OpenedTerminal } from './open-terminal.ts';

/** `away`: the service is unreachable, and input waits. */
export type TerminalState = 'open' | 'away' | 'closed';

interface TerminalFooterProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly hintId: string;
  readonly state: TerminalState;
  readonly opened: OpenedTerminal | null;
}

/** Keys that phone keyboards do not have. */
const missingKeys = [
  ['Ctrl+C', '\x03'],
  ['Esc', '\x1b'],
  ['Tab', '\t'],
  ['↑', '\x1b[A'],
  ['↓', '\x1b[B'],
] as const;

/** The state of the terminal, a hint how to leave it, and extra keys for phones. */
export function TerminalFooter({ ref, hintId, state, opened }: TerminalFooterProps) {
  const say = useSay();
  const toast = useToast();
  const hints = {
    open: say('Press Ctrl+Shift+Space to leave the terminal', '按 Ctrl+Shift+空格 离开终端'),
    away: say(
      'Hob is not responding. Your input is sent when it is back.',
      'Hob 没有响应，输入的内容将在恢复后发送',
    ),
    closed: say('The run has ended and takes no more input', '运行已结束，无法继续输入'),
  };
  const paste = async () => {
    try {
      opened?.terminal.paste(await navigator.clipboard.readText());
      opened?.terminal.focus();
    } catch {
      toast({
        kind: 'error',
        title: say('The browser blocked pasting', '浏览器不允许粘贴'),
        message: say('Select the terminal and press Ctrl+V.', '请点击终端，然后按 Ctrl+V。'),
      });
    }
  };
  const copy = async () => {
    try {
      await copyText(textOf(opened));
      toast({ kind: 'success', title: say('Copied', '已复制') });
    } catch {
      toast({
        kind: 'error',
        title: say('The browser blocked copying', '浏览器不允许复制'),
        message: say('Select the text and press Ctrl+C.', '请选中文本，然后按 Ctrl+C。'),
      });
    }
  };
  return (
    <div
      ref={ref}
      tabIndex={-1}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-1.5 outline-none focus-visible:bg-hover"
    >
      <p
        id={hintId}
        role="status"
        className={classes(
          'flex items-center gap-2 text-[13px]',
          state === 'away' ? 'text-warn' : 'text-muted',
          // Touch users need no shortcut, and the space is for the extra keys.
          state === 'open' && 'pointer-coarse:sr-only',
        )}
      >
        {state === 'away' && <Unplug size={15} aria-hidden className="shrink-0" />}
        {hints[state]}
      </p>
      {state !== 'closed' && (
        <div className="hidden gap-1 pointer-coarse:flex">
          {missingKeys.map(([name, keys]) => (
            <Button
              key={name}
              size="small"
              className="h-8 min-w-9 font-mono"
              onClick={() => {
                press(opened, keys);
              }}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
      <div className="ml-auto flex items-center gap-1">
        <IconButton
          label={say('Copy the selection, or everything', '复制所选内容，未选择时复制全部')}
          className="size-8"
          onClick={() => void copy()}
        >
          <Copy size={15} aria-hidden />
        </IconButton>
        {/* A page loaded over plain HTTP from another machine cannot read the clipboard. The keyboard shortcut still pastes. */}
        {state !== 'closed' && isSecureContext && (
          <IconButton label={say('Paste', '粘贴')} className="size-8" onClick={() => void paste()}>
            <ClipboardPaste size={15} aria-hidden />
          </IconButton>
        )}
      </div>
    </div>
  );
}

function press(opened: OpenedTerminal | null, keys: string): void {
  if (opened === null) return;
  const { terminal } = opened;
  // Full-screen programs may have switched the arrow keys to application mode.
  const isOther = terminal.modes.applicationCursorKeysMode;
  opened.type(isOther ? keys.replace('\x1b[', '\x1bO') : keys);
  terminal.focus();
}

/** The selected text, or else the whole content without trailing empty lines. */
function textOf(opened: OpenedTerminal | null): string {
  if (opened === null) return '';
  const { terminal } = opened;
  if (terminal.hasSelection()) return terminal.getSelection();
  terminal.selectAll();
  const all = terminal.getSelection().trimEnd();
  terminal.clearSelection();
  return all;
}
