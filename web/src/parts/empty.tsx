import type { ReactNode } from 'react';

interface EmptyProps {
  readonly title: string;
  /** Whether the title is the heading of the page. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** An empty state: says that there is nothing to show, and what to do next. */
export function Empty({ title, isPage = false, children, action }: EmptyProps) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className="flex flex-col items-center gap-3 rounded-xl border border-dashed border-line-strong px-6 py-14 text-center">
      <Title className="text-base font-medium">{title}</Title>
      {children && <div className="max-w-prose text-muted">{children}</div>}
      {action}
    </div>
  );
}
