import { type ReactNode, useEffect } from 'react';

interface PageTitleProps {
  readonly title: string;
  /** The actions of the page. */
  readonly children?: ReactNode;
}

/** The heading of a page. It also sets the title of the browser tab. */
export function PageTitle({ title, children }: PageTitleProps) {
  useTabTitle(title);
  return (
    <div className="mb-4 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2">
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      {children && <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>}
    </div>
  );
}

export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Hob`;
  }, [title]);
}
