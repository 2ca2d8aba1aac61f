import { type ComponentProps, useEffect, useRef } from 'react';

/** A field that takes the focus when it is mounted. */
export function FirstField(props: ComponentProps<'input'>) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return <input ref={field} {...props} />;
}
