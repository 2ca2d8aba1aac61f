import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { RefusedError } from '../api/call-service.ts';
import { scriptsQuery } from '../api/queries.ts';
import type { Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle, useTabTitle } from '../parts/page-title.tsx';
import { ChainTree } from './chain-tree.tsx';
import { RunOutput } from './output/run-output.tsx';
import { useRunStream } from './output/use-run-stream.ts';
import { RunFacts, RunInputs } from './run-facts.tsx';
import { RunHeader } from './run-header.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { RunProgress } from './run-progress.tsx';
import { type RunRecord, runQuery } from './run-query.ts';
import { RunResult } from './run-result.tsx';

/** One run: as it goes on, and as it went. */
export function RunPage({ id }: { id: string }) {
  const say = useSay();
  const { data, error, refetch } = useQuery(runQuery(id));
  if (error instanceof RefusedError && error.status === 404) return <UnknownRun />;
  if (data !== undefined) return <KnownRun record={data} />;
  return (
    <>
      <PageTitle title={say('Run', '运行')} />
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />}
    </>
  );
}

function KnownRun({ record: { run, sizeBytes } }: { record: RunRecord }) {
  const output = useRunStream(run.run_id);
  const { data } = useQuery(scriptsQuery);
  const script = data === undefined ? undefined : scriptOf(data.scripts, run.script_id);
  return (
    <>
      <RunHeader run={run} script={script} />
      {run.ended_at === null && output.progress !== null && <RunProgress progress={output.progress} />}
      <RunOutcome run={run} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <RunOutput run={run} output={output} />
          <RunResult run={run} sizeBytes={sizeBytes} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <ChainTree runId={run.run_id} />
          <RunInputs run={run} />
          <RunFacts run={run} />
        </div>
      </div>
    </>
  );
}

function scriptOf(scripts: readonly Script[], id: string): Script | null {
  return scripts.find((script) => script.id === id) ?? null;
}

function UnknownRun() {
  const say = useSay();
  useTabTitle(say('No such run', '没有这次运行'));
  return (
    <Empty
      title={say('There is no such run', '没有这次运行')}
      action={
        <Link href="/runs" className={buttonClasses()}>
          {say('All runs', '全部运行记录')}
        </Link>
      }
    >
      {say(
        'It was deleted, or it is older than the history goes back.',
        '可能已被删除，或已超出历史记录的保留期限。',
      )}
    </Empty>
  );
}
