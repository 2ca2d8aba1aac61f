import { Command } from 'cmdk';
import { Check, ChevronDown, Search, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type ReactNode, useState } from 'react';

import { useSay } from '../language/language.tsx';
import { classes } from './classes.ts';

interface FilterPopoverProps {
  readonly label: string;
  /** A summary of the current choice; null if nothing is chosen. */
  readonly chosen: string | null;
  readonly onClear: () => void;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** A list filter: a button with the current choice that opens the options. */
export function FilterPopover(props: FilterPopoverProps) {
  const { label, chosen, onClear, isOpen, onOpenChange, children } = props;
  const say = useSay();
  return (
    <Popover.Root open={isOpen} onOpenChange={onOpenChange}>
      <div className="flex min-w-0">
        <Popover.Trigger
          className={classes(
            'inline-flex h-9 max-w-56 min-w-0 items-center gap-1.5 border px-3 transition-colors select-none',
            chosen === null
              ? 'rounded-lg border-line-strong bg-raised hover:bg-hover'
              : 'rounded-l-lg border-accent bg-accent-ground text-accent',
          )}
        >
          <span className="truncate">{chosen === null ? label : `${label}: ${chosen}`}</span>
          {chosen === null && <ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />}
        </Popover.Trigger>
        {chosen !== null && (
          <button
            type="button"
            aria-label={say(`Clear filter: ${label}`, `清除：${label}`)}
            onClick={onClear}
            className="grid h-9 w-8 shrink-0 place-items-center rounded-r-lg border border-l-0 border-accent bg-accent-ground text-accent hover:bg-hover"
          >
            <X size={14} aria-hidden />
          </button>
        )}
      </div>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={label}
          className="z-50 w-64 animate-[appear_100ms] overflow-hidden rounded-xl border border-line bg-raised shadow-lg outline-none"
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

export interface Choice {
  readonly value: string;
  readonly name: string;
  readonly icon?: ReactNode;
}

interface ChoiceListProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly onChoose: (value: string) => void;
  /** Adds a search field, for long lists. */
  readonly search?: { readonly text: string; readonly onChange: (text: string) => void };
}

/** A list of choices with keyboard support. */
export function ChoiceList({ label, choices, chosen, onChoose, search }: ChoiceListProps) {
  const say = useSay();
  const [pointedAt, setPointedAt] = useState('');
  // One choice is always marked for Enter, even if the previously marked one was filtered out.
  const marked = choices.some(({ value }) => value === pointedAt) ? pointedAt : (choices[0]?.value ?? '');
  return (
    <Command
      label={label}
      shouldFilter={false}
      loop
      value={marked}
      onValueChange={setPointedAt}
      className="outline-none"
      {...(!search && { tabIndex: 0 })}
    >
      {search && (
        <div className="flex items-center gap-2.5 border-b border-line px-3">
          <Search size={15} aria-hidden className="shrink-0 text-muted" />
          <Command.Input
            value={search.text}
            onValueChange={search.onChange}
            placeholder={say('Search…', '查找……')}
            className="h-10 w-full bg-transparent outline-none placeholder:text-muted"
          />
        </div>
      )}
      <Command.List label={label} className="max-h-72 overflow-y-auto p-1.5">
        <Command.Empty className="p-4 text-center text-muted">
          {say('No results', '没有匹配项')}
        </Command.Empty>
        {choices.map(({ value, name, icon }) => (
          <Command.Item
            key={value}
            value={value}
            onSelect={() => onChoose(value)}
            className="flex h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 data-[selected=true]:bg-hover"
          >
            {icon}
            <span className="min-w-0 grow truncate">{name}</span>
            {chosen.includes(value) && (
              <Check
                size={15}
                role="img"
                aria-label={say('Selected', '已选')}
                className="shrink-0 text-accent"
              />
            )}
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}
