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

/** A script: what it is, the form that runs it, and how it went the last times. */
export function ScriptPage({ id }: { id: string }) {
  const { data: script, error, refetch } = useQuery(scriptQuery(id));
  const { data: all } = useQuery(scriptsQuery);
  useTabTitle(script?.name ?? id);
  // What is known of it is not shown any longer when it is there no more, or cannot be used.
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
