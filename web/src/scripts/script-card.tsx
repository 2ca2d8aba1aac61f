import { Star, TriangleAlert, Workflow } from 'lucide-react';
import { Link } from 'wouter';

import type { Outcome, Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';
import { StateIcon } from '../parts/run-state.tsx';
import { Ago } from '../parts/time.tsx';
import { ScriptIcon } from './script-icon.tsx';

interface ScriptCardProps {
  readonly script: Script;
  readonly lastRun: Outcome | null;
  readonly isFavourite: boolean;
  /** It is there, but cannot be run. */
  readonly isUnusable: boolean;
  readonly onFavourite: () => void;
}

export function ScriptCard({ script, lastRun, isFavourite, isUnusable, onFavourite }: ScriptCardProps) {
  const say = useSay();
  const { id, name, desc, language, node } = script;
  return (
    <li className="group relative flex flex-col rounded-xl border border-line bg-surface transition-colors [contain-intrinsic-size:auto_8.5rem] [content-visibility:auto] focus-within:border-line-strong hover:border-line-strong">
      <Link href={`/scripts/${id}`} className="flex grow gap-3 rounded-xl p-4 pr-11">
        <ScriptIcon script={script} />
        <span className="min-w-0 grow">
          <span className="block truncate font-medium" title={name}>
            {name}
          </span>
          <span className="line-clamp-2 min-h-[2lh] text-[13px] text-muted">{desc}</span>
          <span className="mt-2 flex items-center gap-2 text-xs text-muted">
            <span className="rounded bg-hover px-1.5 py-px">{language}</span>
            {node && (
              <span
                className="inline-flex items-center gap-1"
                title={say('Other scripts can call it', '可以被其他脚本调用')}
              >
                <Workflow size={13} aria-hidden />
                {say('node', '节点')}
              </span>
            )}
            {isUnusable && (
              <span className="inline-flex items-center gap-1 text-bad">
                <TriangleAlert size={13} aria-hidden />
                {say('cannot run', '无法运行')}
              </span>
            )}
            {lastRun !== null && (
              <span className="ml-auto inline-flex items-center gap-1">
                <StateIcon state={lastRun.state} size={14} />
                <Ago time={lastRun.queued_at} />
              </span>
            )}
          </span>
        </span>
      </Link>
      <button
        type="button"
        aria-pressed={isFavourite}
        aria-label={say(`Favourite: ${name}`, `收藏：${name}`)}
        onClick={onFavourite}
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
}
