import type { ReactNode } from 'react';

interface EmptyProps {
  readonly title: string;
  /** It is all that the page is about. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** There is nothing to show; what to do about it. */
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
