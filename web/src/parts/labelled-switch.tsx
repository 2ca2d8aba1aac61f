import { Switch } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';

interface LabelledSwitchProps {
  readonly label: ReactNode;
  readonly description?: string | null;
  readonly error?: string | null;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** The name by which a form finds the control. */
  readonly field?: string;
}

/** A switch with a label beside it. */
export function LabelledSwitch({ label, description, error, isOn, onChange, field }: LabelledSwitchProps) {
  const id = useId();
  const text = error ?? description ?? '';
  return (
    <div className="flex items-start gap-3">
      <BareSwitch
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        data-field={field}
        aria-describedby={text === '' ? undefined : `${id}-text`}
        aria-invalid={error ? true : undefined}
      />
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {text !== '' && (
          <p id={`${id}-text`} className={error ? 'text-[13px] text-bad' : 'text-[13px] text-muted'}>
            {text}
          </p>
        )}
      </div>
    </div>
  );
}

/** A switch without a label. */
export function BareSwitch(props: ComponentProps<typeof Switch.Root>) {
  return (
    <Switch.Root
      {...props}
      className="mt-px h-5 w-9 shrink-0 rounded-full border border-line-strong bg-hover transition-colors data-[state=checked]:border-transparent data-[state=checked]:bg-accent"
    >
      <Switch.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-muted transition-transform data-[state=checked]:translate-x-[1.1rem] data-[state=checked]:bg-on-accent" />
    </Switch.Root>
  );
}
