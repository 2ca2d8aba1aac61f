import { useQuery } from '@tanstack/react-query';
import { Star, Workflow } from 'lucide-react';

import { scriptQuery, scriptsQuery } from '../api/queries.ts';
import type { Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { PackageMenu } from '../packages/package-menu.tsx';
import { IconButton } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { useTabTitle } from '../parts/page-title.tsx';
import { useFavourites } from '../scripts/favourites.ts';
import { ProblemList } from '../scripts/problem-list.tsx';
import { isProblemOf } from '../scripts/problems-of.ts';
import { ScriptIcon } from '../scripts/script-icon.tsx';
import { FilledForm } from './filled-form.tsx';
import { LastRuns } from './last-runs.tsx';
import { ScriptFacts } from './script-facts.tsx';
import { isGone, isUnusable, ScriptMissing, ScriptUnusable } from './script-missing.tsx';

/** The page of a script: details, the form that runs it, and recent runs. */
export function ScriptPage({ id }: { id: string }) {
  const { data: script, error, refetch } = useQuery(scriptQuery(id));
  const { data: all } = useQuery(scriptsQuery);
  useTabTitle(script?.name ?? id);
  // Errors come first, so that cached data of a deleted or broken script is not shown.
  if (isGone(error)) return <ScriptMissing id={id} />;
  if (isUnusable(error)) return <ScriptUnusable id={id} error={error} />;
  if (script === undefined)
    return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;

  return (
    <>
      <ScriptHeader script={script} />
      <ProblemList problems={all?.problems.filter((problem) => isProblemOf(script, problem)) ?? []} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <FilledForm script={script} />
        <div className="flex min-w-0 flex-col gap-5">
          <LastRuns scriptId={script.id} />
          <ScriptFacts script={script} />
        </div>
      </div>
    </>
  );
}

/** The name, description and actions of a script. */
function ScriptHeader({ script }: { script: Script }) {
  const say = useSay();
  const [favourites, toggle] = useFavourites();
  const { id, name, version, desc, language, node } = script;
  const isFavourite = favourites.has(id);
  return (
    <header className="mb-5 flex items-start gap-4">
      <ScriptIcon script={script} />
      <div className="min-w-0 grow">
        <h1 className="text-xl font-semibold tracking-tight break-words">{name}</h1>
        {desc !== null && <p className="max-w-prose break-words text-muted">{desc}</p>}
        <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <span className="rounded bg-hover px-1.5 py-px">{language}</span>
          {version !== null && <span>{version}</span>}
          {node && (
            <span
              className="inline-flex items-center gap-1"
              title={say('Other scripts can call this script', '可以被其他脚本调用')}
            >
              <Workflow size={13} aria-hidden />
              {say('node', '节点')}
            </span>
          )}
        </p>
      </div>
      <div className="flex shrink-0 gap-1">
        <IconButton
          label={say(`Favourite: ${name}`, `收藏：${name}`)}
          aria-pressed={isFavourite}
          onClick={() => toggle(id)}
          className={isFavourite ? 'text-accent!' : ''}
        >
          <Star size={17} aria-hidden fill={isFavourite ? 'currentColor' : 'none'} />
        </IconButton>
        <PackageMenu scriptId={id} />
      </div>
    </header>
  );
}
