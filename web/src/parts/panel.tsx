import { type ReactNode, useId } from 'react';

import { classes } from './classes.ts';

interface PanelProps {
  readonly title: string;
  /** A summary or actions beside the title. */
  readonly aside?: ReactNode;
  /** An introduction below the title. */
  readonly note?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A section of a page with a heading. */
export function Panel({ title, aside, note, className, children }: PanelProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={classes('min-w-0 rounded-xl border border-line bg-surface px-4 pt-2 pb-4', className)}
    >
      <div className="mb-1 flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {aside && <div className="ml-auto flex items-center gap-1 text-[13px] text-muted">{aside}</div>}
        {note && <p className="basis-full pb-1 text-[13px] text-muted">{note}</p>}
      </div>
      {children}
    </section>
  );
}
