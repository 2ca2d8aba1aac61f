import { useQuery } from '@tanstack/react-query';
import { ClipboardPaste, Copy, Unplug } from 'lucide-react';
import { type Ref, useEffect, useId, useRef, useState } from 'react';

import { terminalQuery } from '../api/queries.ts';
import type { RunTerminal } from '../api/wire.ts';
import { useLanguage, useSay } from '../language/language.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { useCopyText } from '../parts/copy-button.tsx';
import { messageOf, Pending } from '../parts/failure.tsx';
import { bytesText } from '../parts/format.ts';
import { useToast } from '../parts/toasts.tsx';
import { type OpenedTerminal, openTerminal } from './open-terminal.ts';

interface TerminalScreenProps {
  readonly runId: string;
  readonly isLive: boolean;
}

/** Loads the state of the terminal and then shows it. */
export function TerminalScreen({ runId, isLive }: TerminalScreenProps) {
  const { data, error, refetch } = useQuery({
    ...terminalQuery(runId),
    // Never cached, because the amount of old output must be current.
    queryKey: ['terminal', runId, 'shown'],
    gcTime: 0,
  });
  if (data === undefined) return <Pending error={error} refetch={refetch} />;
  return <ShownTerminal runId={runId} isLive={isLive} found={data} />;
}

function ShownTerminal({ runId, isLive, found }: TerminalScreenProps & { found: RunTerminal }) {
  const { say } = useLanguage();
  const toast = useToast();
  const place = useRef<HTMLDivElement>(null);
  const footer = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<OpenedTerminal | null>(null);
  const [isReached, setReached] = useState(true);
  const [isClosed, setClosed] = useState(!found.open);
  // Later refetches are ignored, because the events of the run report all changes.
  const [first] = useState(found);
  const [firstSay] = useState(() => say);
  const hintId = useId();

  useEffect(() => {
    if (place.current === null) return;
    const shown = openTerminal(place.current, runId, first, {
      describeGap: (bytes) =>
        firstSay(`… ${bytesText(bytes)} not kept …`, `……有 ${bytesText(bytes)} 未保留……`),
      onReach: setReached,
      onRefused: (error) =>
        toast({
          kind: 'error',
          title: firstSay('Hob did not accept the input', 'Hob 未接受输入的内容'),
          message: messageOf(error, firstSay),
        }),
      onClosed: () => setClosed(true),
      onLeave: () => footer.current?.focus(),
    });
    setOpened(shown);
    // Focus the terminal, unless another element already has the focus.
    if (first.open && document.activeElement === document.body) shown.terminal.focus();
    return () => {
      setOpened(null);
      shown.close();
    };
  }, [runId, first, firstSay, toast]);

  const name = say('Terminal', '终端');
  useEffect(() => {
    const field = opened?.terminal.textarea;
    field?.setAttribute('aria-label', name);
    field?.setAttribute('aria-describedby', hintId);
  }, [opened, name, hintId]);

  const state: TerminalState = isClosed || !isLive ? 'closed' : isReached ? 'open' : 'away';
  return (
    <section aria-label={name} className="overflow-hidden rounded-xl border border-line bg-surface">
      {/* The padding is outside the element that the terminal fills. */}
      <div className="bg-(--terminal-ground) p-2.5 pr-1 [&:has(:focus)]:shadow-[inset_0_2px_0_var(--accent)]">
        <div ref={place} className="h-[60dvh] min-h-64 overflow-hidden font-mono" />
      </div>
      <TerminalFooter ref={footer} hintId={hintId} state={state} opened={opened} />
    </section>
  );
}

/** `away`: the service is unreachable, and input waits. */
type TerminalState = 'open' | 'away' | 'closed';

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
function TerminalFooter({ ref, hintId, state, opened }: TerminalFooterProps) {
  const say = useSay();
  const toast = useToast();
  const copyText = useCopyText();
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
    if (await copyText(textOf(opened))) toast({ kind: 'success', title: say('Copied', '已复制') });
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
