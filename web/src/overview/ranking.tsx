import { Link } from 'wouter';

import { classes } from '../parts/classes.ts';

export interface Ranked {
  readonly id: string;
  readonly name: string;
  readonly href: string;
  readonly value: number;
  /** The value as text. */
  readonly text: string;
}

/** Scripts with a value each, as a list with bars. */
export function Ranking({ items, bar }: { items: readonly Ranked[]; bar: string }) {
  const most = Math.max(1, ...items.map(({ value }) => value));
  return (
    <ol className="flex flex-col gap-2.5">
      {items.map(({ id, name, href, value, text }) => (
        <li key={id}>
          <div className="flex items-baseline gap-3">
            <Link href={href} className="min-w-0 truncate hover:text-accent hover:underline" title={name}>
              {name}
            </Link>
            <span className="ml-auto shrink-0 text-xs text-muted tabular-nums">{text}</span>
          </div>
          <div aria-hidden className="mt-1 h-1 rounded-full bg-hover">
            <div
              className={classes('h-full rounded-full', bar)}
              style={{ width: `${(100 * value) / most}%` }}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}
