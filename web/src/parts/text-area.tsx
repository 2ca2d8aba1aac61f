import type { ComponentProps } from 'react';

import { classes } from './classes.ts';
import { inputClasses } from './input.ts';

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
