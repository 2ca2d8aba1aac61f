import { type ReactNode, useId } from 'react';

import { classes } from './classes.ts';

interface SectionProps {
  readonly title: string;
  /** What there is to know before reading on. */
  readonly note?: ReactNode;
  /** What can be done with all of it. */
  readonly action?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a page that stands for itself. */
export function Section({ title, note, action, className, children }: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={classes('min-w-0 rounded-xl border border-line bg-surface p-4 md:p-5', className)}
    >
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {action && <div className="ml-auto">{action}</div>}
        {note && <p className="basis-full text-[13px] text-muted">{note}</p>}
      </div>
      {children}
    </section>
  );
}
