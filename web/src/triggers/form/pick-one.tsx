import { ChevronDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';

import { classes } from '../../parts/classes.ts';
import { Field, inputClasses } from '../../parts/field.tsx';
import { type Choice, ChoiceList } from '../../parts/filter-popover.tsx';

interface PickOneProps {
  readonly label: string;
  readonly field: string;
  /** The name of the current choice, or what to show without one. */
  readonly shown: string;
  readonly chosen: string;
  readonly error: string | null;
  readonly isRequired?: boolean;
  /** The choices for a search text. */
  readonly find: (text: string) => readonly Choice[];
  readonly onChoose: (value: string) => void;
}

/** A field with a searchable list, for many choices. */
export function PickOne({ label, field, shown, chosen, error, isRequired, find, onChoose }: PickOneProps) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  return (
    <Field label={label} error={error} isRequired={isRequired === true}>
      {({ id, describedBy, isInvalid }) => (
        <Popover.Root
          open={isOpen}
          onOpenChange={(open) => {
            setOpen(open);
            setText('');
          }}
        >
          <Popover.Trigger
            id={id}
            type="button"
            data-field={field}
            aria-label={`${label}: ${shown}`}
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            className={classes(inputClasses, 'flex items-center gap-2 text-left')}
          >
            <span className={classes('min-w-0 grow truncate', chosen === '' && 'text-muted')}>{shown}</span>
            <ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content
              align="start"
              sideOffset={6}
              collisionPadding={12}
              aria-label={label}
              className="z-50 w-(--radix-popover-trigger-width) min-w-64 animate-[appear_100ms] overflow-hidden rounded-xl border border-line bg-raised shadow-lg outline-none"
            >
              <ChoiceList
                label={label}
                choices={isOpen ? find(text) : []}
                chosen={[chosen]}
                onChoose={(value) => {
                  onChoose(value);
                  setOpen(false);
                }}
                search={{ text, onChange: setText }}
              />
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      )}
    </Field>
  );
}
