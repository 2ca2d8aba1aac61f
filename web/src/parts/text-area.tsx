import type { ComponentProps } from 'react';

import { classes } from './classes.ts';
import { inputClasses } from './input.ts';

/** Several lines; it grows with what is written, up to a third of the window. */
export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      spellCheck={false}
      {...rest}
      className={classes(inputClasses, 'h-auto! max-h-[33dvh] field-sizing-content resize-y py-2', className)}
    />
  );
}
