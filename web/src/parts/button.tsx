import type { ComponentProps } from 'react';

import { classes } from './classes.ts';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

const looks: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent border-transparent hover:brightness-110',
  plain: 'bg-raised border-line-strong hover:bg-hover',
  quiet: 'border-transparent text-muted hover:bg-hover hover:text-ink',
  danger: 'bg-raised border-line-strong text-bad hover:bg-bad-ground',
};

const shape =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-lg border font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 disabled:pointer-events-none aria-disabled:opacity-50 aria-disabled:pointer-events-none';

/** The classes of a button, also for links that look like one. */
export function buttonClasses(look: Look = 'plain', size: 'small' | 'usual' = 'usual'): string {
  return classes(shape, looks[look], size === 'small' ? 'h-7 px-2 text-xs' : 'h-9 px-3.5');
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: Look;
  readonly size?: 'small' | 'usual';
  /** Ignores clicks while its action is running, but keeps the focus, unlike `disabled`. */
  readonly isBusy?: boolean;
}

export function Button(props: ButtonProps) {
  const {
    look = 'plain',
    size = 'usual',
    className,
    type = 'button',
    isBusy = false,
    onClick,
    ...rest
  } = props;
  return (
    <button
      type={type}
      className={classes(buttonClasses(look, size), className)}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : onClick}
      {...rest}
    />
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'size' | 'isBusy'> {
  /** The accessible name and tooltip. */
  readonly label: string;
}

export function IconButton({ label, look = 'quiet', className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      // `:where` has no specificity, so any size in `className` wins.
      className={classes(shape, looks[look], '[:where(&)]:size-9', className)}
      {...rest}
    />
  );
}
