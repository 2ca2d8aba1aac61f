import { useState } from 'react';

import { type Choice, ChoiceList } from '../parts/choice-list.tsx';
import { FilterPopover } from '../parts/filter-popover.tsx';

interface ChoiceFilterProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly (Choice & { readonly value: Value })[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}

/** A filter with several choices. It stays open after a choice. */
export function ChoiceFilter<Value extends string>(props: ChoiceFilterProps<Value>) {
  const { label, choices, chosen, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  const names = choices.filter(({ value }) => chosen.includes(value)).map(({ name }) => name);
  const toggle = (value: string) =>
    onChange(
      choices.map((choice) => choice.value).filter((each) => chosen.includes(each) !== (each === value)),
    );
  return (
    <FilterPopover
      label={label}
      chosen={names.length === 0 ? null : names.join(', ')}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <ChoiceList label={label} choices={choices} chosen={chosen} onChoose={toggle} />
    </FilterPopover>
  );
}
