import { Star, TriangleAlert, Workflow } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';

import type { Outcome, Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { StateIcon, shownState } from '../parts/run-state.tsx';
import { Ago } from '../parts/time.tsx';
import { ScriptIcon } from './script-icon.tsx';

interface ScriptCardProps {
  readonly linkId: string;
  readonly script: Script;
  /** Position among all scripts, most of which may not be rendered. */
  readonly position: number;
  readonly count: number;
  readonly lastRun: Outcome | null;
  readonly isFavourite: boolean;
  readonly onFavourite: (id: string) => void;
  /** Marked by the arrow keys of the search field. */
  readonly isMarked: boolean;
  /** The script is listed but cannot run. */
  readonly isUnusable: boolean;
}

/** A script in four lines, or in two lines on phones. All cards have the same height. */
export const ScriptCard = memo(function ScriptCard(props: ScriptCardProps) {
  const { linkId, script, position, count, lastRun, isFavourite, onFavourite, isMarked, isUnusable } = props;
  const say = useSay();
  const { id, name, desc, language, node } = script;
  return (
    <li
      aria-posinset={position}
      aria-setsize={count}
      className={classes(
        'group relative rounded-xl border bg-surface transition-colors',
        isMarked
          ? 'border-accent inset-ring-1 inset-ring-accent'
          : 'border-line focus-within:border-line-strong hover:border-line-strong',
      )}
    >
      <Link
        id={linkId}
        href={`/scripts/${id}`}
        className="flex size-full items-center gap-3 overflow-hidden rounded-xl px-4 pr-11 sm:items-start sm:pt-3.5"
      >
        <ScriptIcon script={script} />
        <span className="grid min-w-0 grow grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2 text-xs leading-normal text-muted">
          <span className="col-span-2 truncate text-base font-medium text-ink sm:col-span-3" title={name}>
            {name}
          </span>
          <span className="col-start-2 col-end-4 row-start-2 line-clamp-1 text-[13px] sm:col-start-1 sm:line-clamp-2 sm:min-h-[2lh] sm:self-start">
            {desc}
          </span>
          <span className="col-start-1 row-start-2 flex items-center gap-2 sm:row-start-3 sm:mt-2">
            <span className="rounded bg-hover px-1.5 py-px">{language}</span>
            {node && (
              <span
                className="inline-flex items-center gap-1"
                title={say('Other scripts can call this script', '可以被其他脚本调用')}
              >
                <Workflow size={13} aria-hidden />
                <span className="max-sm:sr-only">{say('node', '节点')}</span>
              </span>
            )}
            {isUnusable && (
              <span className="inline-flex items-center gap-1 whitespace-nowrap text-bad">
                <TriangleAlert size={13} aria-hidden />
                {say('Cannot run', '无法运行')}
              </span>
            )}
          </span>
          {lastRun !== null && (
            <span className="col-start-3 row-start-1 inline-flex items-center gap-1 sm:row-start-3 sm:mt-2">
              <StateIcon state={shownState(lastRun)} size={14} />
              <Ago time={lastRun.queued_at} />
            </span>
          )}
        </span>
      </Link>
      <button
        type="button"
        aria-pressed={isFavourite}
        aria-label={say(`Favourite: ${name}`, `收藏：${name}`)}
        onClick={() => onFavourite(id)}
        className={classes(
          'absolute top-2 right-2 grid size-8 place-items-center rounded-lg hover:bg-hover',
          isFavourite
            ? 'text-accent'
            : 'text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-md:opacity-100',
        )}
      >
        <Star size={16} aria-hidden fill={isFavourite ? 'currentColor' : 'none'} />
      </button>
    </li>
  );
});
