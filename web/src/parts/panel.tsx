import { type ReactNode, useId } from 'react';

import { classes } from './classes.ts';

interface PanelProps {
  readonly title: string;
  /** Beside the title. */
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Panel({ title, aside, className, children }: PanelProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={classes('min-w-0 rounded-xl border border-line bg-surface p-4', className)}
    >
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {aside && <div className="ml-auto text-[13px] text-muted">{aside}</div>}
      </div>
      {children}
    </section>
  );
}
