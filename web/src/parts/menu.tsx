import { EllipsisVertical } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

import { IconButton } from './button.tsx';
import { classes } from './classes.ts';

interface MenuItem {
  readonly name: string;
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

/** A menu behind a button with three dots. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <IconButton label={label} look="plain">
          <EllipsisVertical size={16} aria-hidden />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-50 min-w-44 animate-[appear_100ms] rounded-xl border border-line bg-raised p-1 shadow-lg"
        >
          {items.map(({ name, icon, isDangerous, isDisabled = false, onSelect }) => (
            <DropdownMenu.Item
              key={name}
              disabled={isDisabled}
              onSelect={onSelect}
              className={classes(
                'flex h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 outline-none data-disabled:pointer-events-none data-disabled:opacity-50 data-highlighted:bg-hover',
                isDangerous === true && 'text-bad',
              )}
            >
              {icon}
              {name}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
