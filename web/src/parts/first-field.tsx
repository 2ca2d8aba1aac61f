import { type ComponentProps, useEffect, useRef } from 'react';

/** The field of a dialog that one wants to write in at once: the dialog itself would give the focus to its first button. */
export function FirstField(props: ComponentProps<'input'>) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return <input ref={field} {...props} />;
}
