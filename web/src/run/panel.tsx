import { type ReactNode, useId } from 'react';

/** A part of the page with its name above it. */
export function Panel({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line bg-surface">
      <div className="flex min-h-11 items-center gap-2 border-b border-line px-4 py-1.5">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {actions && <div className="ml-auto flex items-center gap-1">{actions}</div>}
      </div>
      <div className="px-4 py-3">{children}</div>
    </section>
  );
}
