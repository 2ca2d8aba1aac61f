import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';

import { latestRunsQuery, scriptsQuery } from '../api/queries.ts';
import { useSay } from '../language/language.tsx';
import { StateIcon } from '../parts/run-state.tsx';
import { Ago } from '../parts/time.tsx';
import { useReturnFocus } from '../parts/use-return-focus.ts';
import { shownState } from '../parts/words-of-runs.ts';
import { findScripts } from '../scripts/find-scripts.ts';
import { ScriptIcon } from '../scripts/script-icon.tsx';
import { destinations } from '../shell/destinations.ts';

const mostScripts = 30;
const mostRuns = 5;

/** Ctrl+K: finds and opens a script, a page or a recent run. */
export function Palette() {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  const returnFocus = useReturnFocus(isOpen);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    const open = () => setOpen(true);
    addEventListener('keydown', onKey);
    addEventListener(paletteWanted, open);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener(paletteWanted, open);
    };
  }, []);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-[appear_100ms] bg-black/45" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="fixed top-[12dvh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 animate-[appear_100ms] overflow-hidden rounded-xl border border-line bg-raised shadow-2xl"
        >
          <Dialog.Title className="sr-only">{say('Go to', '前往')}</Dialog.Title>
          <Command label={say('Go to', '前往')} shouldFilter={false}>
            <PaletteContent onDone={() => setOpen(false)} />
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const paletteWanted = 'hob:palette';

/** Opens the palette without the shortcut. */
export function openPalette(): void {
  dispatchEvent(new Event(paletteWanted));
}

function PaletteContent({ onDone }: { onDone: () => void }) {
  const say = useSay();
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const { data } = useQuery(scriptsQuery);
  const { data: runs } = useQuery(latestRunsQuery(mostRuns));
  const scripts = findScripts(data?.scripts ?? [], query).slice(0, mostScripts);
  const pages = destinations.filter(({ name }) => name(say).toLowerCase().includes(query.toLowerCase()));
  const go = (path: string) => () => {
    onDone();
    navigate(path);
  };
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search size={17} aria-hidden className="shrink-0 text-muted" />
        <Command.Input
          value={query}
          onValueChange={setQuery}
          placeholder={say('Search scripts and pages…', '前往脚本或页面……')}
          className="h-12 w-full bg-transparent text-base outline-none placeholder:text-muted"
        />
      </div>
      <Command.List label={say('Results', '可前往的位置')} className="max-h-[50dvh] overflow-y-auto p-2">
        <Command.Empty className="p-6 text-center text-muted">
          {say('No results', '没有匹配项')}
        </Command.Empty>
        {scripts.length > 0 && (
          <Group heading={say('Scripts', '脚本')}>
            {scripts.map((script) => (
              <Item key={script.folder} value={script.folder} onSelect={go(`/scripts/${script.id}`)}>
                <ScriptIcon script={script} isSmall />
                <span className="truncate">{script.name}</span>
                <span className="min-w-0 shrink-[2] truncate font-mono text-xs text-muted">
                  {script.slug}
                </span>
                <span className="ml-auto text-xs text-muted">{script.language}</span>
              </Item>
            ))}
          </Group>
        )}
        {pages.length > 0 && (
          <Group heading={say('Pages', '页面')}>
            {pages.map(({ path, icon: Icon, name }) => (
              <Item key={path} value={path} onSelect={go(path)}>
                <Icon size={17} aria-hidden className="text-muted" />
                {name(say)}
              </Item>
            ))}
          </Group>
        )}
        {query === '' && runs !== undefined && runs.items.length > 0 && (
          <Group heading={say('Recent runs', '最近运行')}>
            {runs.items.map((run) => (
              <Item key={run.run_id} value={run.run_id} onSelect={go(`/runs/${run.run_id}`)}>
                <StateIcon state={shownState(run)} />
                <span className="truncate">{run.script_name}</span>
                <span className="ml-auto text-xs text-muted">
                  <Ago time={run.queued_at} />
                </span>
              </Item>
            ))}
          </Group>
        )}
      </Command.List>
    </>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  );
}

function Item({ value, onSelect, children }: { value: string; onSelect: () => void; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-10 cursor-pointer items-center gap-3 rounded-lg px-2.5 data-[selected=true]:bg-hover"
    >
      {children}
    </Command.Item>
  );
}
