import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react';

import { classes } from './classes.ts';

/** The id of a control and of its description, and whether its value is invalid. */
export interface ControlIds {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly description?: string | null;
  readonly error?: string | null;
  readonly isRequired?: boolean;
  readonly children: (ids: ControlIds) => ReactNode;
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

/** The classes of every text field. */
export const inputClasses =
  'h-9 w-full rounded-lg border border-line-strong bg-surface px-3 font-normal placeholder:text-muted focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-bad';

/** The classes of a label around a radio button or a checkbox. */
export const optionClasses =
  'flex h-9 cursor-pointer items-center gap-2 rounded-lg border border-line-strong bg-surface px-3 select-none hover:bg-hover has-checked:border-accent has-checked:bg-accent-ground has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent';

/** A field that takes the focus when it is mounted. */
export function FirstField(props: ComponentProps<'input'>) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return <input ref={field} {...props} />;
}

/** A text area that grows with its content, up to a third of the window. */
export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      spellCheck={false}
      {...rest}
      className={classes(inputClasses, 'h-auto! max-h-[33dvh] field-sizing-content resize-y py-2', className)}
    />
  );
}
