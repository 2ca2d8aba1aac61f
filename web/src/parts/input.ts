/** The classes of every text field. */
export const inputClasses =
  'h-9 w-full rounded-lg border border-line-strong bg-surface px-3 font-normal placeholder:text-muted focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-bad';
