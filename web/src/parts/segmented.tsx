import { type ReactNode, useId } from 'react';

interface SegmentedProps<Value extends string> {
  /** The accessible name of the group. */
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly name: ReactNode; readonly lang?: string }[];
  readonly onChange: (value: Value) => void;
}

/** Radio buttons in a row. The arrow keys move between them. */
export function Segmented<Value extends string>({ label, value, choices, onChange }: SegmentedProps<Value>) {
  const group = useId();
  return (
    <fieldset className="inline-flex max-w-full flex-wrap rounded-lg border border-line-strong bg-surface p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          lang={choice.lang}
          className="inline-flex h-8 cursor-pointer items-center gap-1.5 rounded-md px-3 text-muted select-none hover:text-ink has-checked:bg-accent-ground has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={group}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            className="sr-only"
          />
          {choice.name}
        </label>
      ))}
    </fieldset>
  );
}
