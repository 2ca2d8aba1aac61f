import { ChevronRight, Link2 } from 'lucide-react';

import { useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { OperationDetails } from './operation-details.tsx';
import { titleOf } from './operation-titles.ts';
import type { Operation } from './read-document.ts';

interface OperationCardProps {
  readonly operation: Operation;
  readonly asksForToken: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

const colours: Readonly<Record<string, string>> = {
  GET: 'bg-busy-ground text-busy',
  POST: 'bg-good-ground text-good',
  DELETE: 'bg-bad-ground text-bad',
};

export function OperationCard({ operation, asksForToken, isOpen, onToggle }: OperationCardProps) {
  const say = useSay();
  const { id, method, path } = operation;
  return (
    <li id={id} className="group/card scroll-mt-4">
      <div className="flex items-center hover:bg-hover">
        <h3 className="min-w-0 grow">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={`${id}-details`}
            onClick={() => onToggle(!isOpen)}
            className="flex w-full items-center gap-x-3 px-4 py-2.5 text-left -outline-offset-2"
          >
            <ChevronRight
              size={16}
              aria-hidden
              className={classes('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
            />
            <span
              className={classes(
                'w-16 shrink-0 rounded py-0.5 text-center font-mono text-xs font-medium',
                colours[method] ?? 'bg-hover text-muted',
              )}
            >
              {method}
            </span>
            <span className="grid min-w-0 grow items-baseline gap-x-4 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
              <code className="font-mono text-[13px] font-medium wrap-anywhere">{path}</code>
              <span className="text-[13px] text-muted">{titleOf(operation, say)}</span>
            </span>
          </button>
        </h3>
        <a
          href={`#${id}`}
          aria-label={say(`Link to ${method} ${path}`, `${method} ${path} 的链接`)}
          className="mr-2 grid size-8 shrink-0 place-items-center rounded-lg text-muted opacity-0 group-focus-within/card:opacity-100 group-hover/card:opacity-100 max-md:hidden"
        >
          <Link2 size={15} aria-hidden />
        </a>
      </div>
      <div id={`${id}-details`} hidden={!isOpen}>
        {isOpen && <OperationDetails operation={operation} asksForToken={asksForToken} />}
      </div>
    </li>
  );
}
