import { type ReactNode, useId } from 'react';

interface PanelProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the page with a heading of its own. */
export function Panel({ title, action, children }: PanelProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-xl border border-line bg-surface">
      <div className="flex items-center justify-between px-4 py-2.5">
        <h2 id={id} className="font-medium">
          {title}
        </h2>
        {action}
      </div>
      {children}
    </section>
  );
}
