import { type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: ReactNode;
  readonly description?: string | null;
  readonly error?: string | null;
  readonly isRequired?: boolean;
  /** Receives the id for the control and the id of its description. */
  readonly children: (ids: { id: string; describedBy: string | undefined; isInvalid: boolean }) => ReactNode;
}

/** A control with a label above and a description or error below. */
export function Field({ label, description, error, isRequired, children }: FieldProps) {
  const id = useId();
  const hasError = error !== undefined && error !== null;
  const hasText = hasError || (description !== undefined && description !== null && description !== '');
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
        {isRequired === true && (
          <span aria-hidden className="ml-1 text-bad">
            *
          </span>
        )}
      </label>
      {children({ id, describedBy: hasText ? `${id}-text` : undefined, isInvalid: hasError })}
      {hasText && (
        <div id={`${id}-text`} className="text-[13px]">
          {hasError ? <p className="text-bad">{error}</p> : <p className="text-muted">{description}</p>}
        </div>
      )}
    </div>
  );
}
