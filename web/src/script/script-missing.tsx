import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { RefusedError } from '../api/call-service.ts';
import { latestRunsQuery, scriptsQuery } from '../api/queries.ts';
import { useSay } from '../language/language.tsx';
import { PackageMenu } from '../packages/package-menu.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { PageTitle, useTabTitle } from '../parts/page-title.tsx';
import { ProblemList } from '../scripts/problem-list.tsx';
import { isProblemOf } from '../scripts/problems-of.ts';
import { LastRuns } from './last-runs.tsx';

export function isGone(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404;
}

export function isUnusable(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 409;
}

/** Shown for an unknown script. If it existed earlier, its runs are still listed. */
export function ScriptMissing({ id }: { id: string }) {
  const say = useSay();
  const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
  const { data: runs } = useQuery({ ...latestRunsQuery(1, id), enabled: isId });
  const name = runs?.items[0]?.script_name;
  const title =
    name === undefined
      ? say('Script not found', '没有这个脚本')
      : say(`“${name}” no longer exists`, `“${name}”已不存在`);
  useTabTitle(title);
  return (
    <div className="flex flex-col gap-5">
      <Empty
        isPage
        title={title}
        action={
          <Link href="/" className={buttonClasses()}>
            {say('All scripts', '全部脚本')}
          </Link>
        }
      >
        <code className="font-mono text-xs break-all">{id}</code>
      </Empty>
      {name !== undefined && <LastRuns scriptId={id} />}
    </div>
  );
}

/** Shown for a script with errors. */
export function ScriptUnusable({ id, error }: { id: string; error: unknown }) {
  const say = useSay();
  const { data } = useQuery(scriptsQuery);
  const files = error instanceof RefusedError ? error.files : [];
  const scripts = data?.scripts.filter((script) => script.id === id.toLowerCase()) ?? [];
  // The response has one problem. The list has all problems of the same files and of other scripts with this id.
  const own =
    data?.problems.filter(
      (problem) => files.includes(problem.file) || scripts.some((script) => isProblemOf(script, problem)),
    ) ?? [];
  return (
    <>
      <PageTitle title={say('This script cannot run', '此脚本无法运行')}>
        <Link href="/" className={buttonClasses()}>
          {say('All scripts', '全部脚本')}
        </Link>
        <PackageMenu scriptId={id} />
      </PageTitle>
      {own.length > 0 ? <ProblemList problems={own} /> : <Failure error={error} />}
      <div className="mt-5">
        <LastRuns scriptId={id} />
      </div>
    </>
  );
}
