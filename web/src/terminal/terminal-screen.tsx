import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';

import { terminalQuery } from '../api/queries.ts';
import type { RunTerminal } from '../api/wire.ts';
import { useLanguage } from '../language/language.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { Failure, messageOf } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { useToast } from '../parts/toasts.tsx';
import { type OpenedTerminal, openTerminal } from './open-terminal.ts';
import { TerminalFooter, type TerminalState } from './terminal-footer.tsx';

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
  if (error && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
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
          message: messageOf(error),
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
