import { type ReactNode, useId } from 'react';

interface FieldGroupProps {
  readonly label: ReactNode;
  readonly description?: string | null;
  readonly error?: string | null;
  readonly isRequired?: boolean;
  readonly children: ReactNode;
}

/** Like `Field`, for a group of controls with one value. */
export function FieldGroup({ label, description, error, isRequired, children }: FieldGroupProps) {
  const id = useId();
  const text = error ?? description ?? '';
  return (
    <fieldset aria-describedby={text === '' ? undefined : id} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">
        {label}
        {isRequired === true && (
          <span aria-hidden className="ml-1 text-bad">
            *
          </span>
        )}
      </legend>
      {children}
      {text !== '' && (
        <p id={id} className={error ? 'text-[13px] text-bad' : 'text-[13px] text-muted'}>
          {text}
        </p>
      )}
    </fieldset>
  );
}
