import { useQuery } from '@tanstack/react-query';

import { scriptQuery, scriptsQuery } from '../api/queries.ts';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { useTabTitle } from '../parts/page-title.tsx';
import { ProblemList } from '../scripts/problem-list.tsx';
import { isProblemOf } from '../scripts/problems-of.ts';
import { FilledForm } from './filled-form.tsx';
import { LastRuns } from './last-runs.tsx';
import { ScriptFacts } from './script-facts.tsx';
import { ScriptHeader } from './script-header.tsx';
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
