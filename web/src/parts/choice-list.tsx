import { Command } from 'cmdk';
import { Check, Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { useSay } from '../language/language.tsx';

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
