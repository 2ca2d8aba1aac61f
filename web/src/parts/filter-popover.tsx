import { ChevronDown, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';

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
