import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';

import { RefusedError } from '../api/call-service.ts';
import { useLive } from '../api/live-events.tsx';
import { type Progress, progressIn } from '../api/progress.ts';
import { scriptsQuery } from '../api/queries.ts';
import type { Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { PageTitle, useTabTitle } from '../parts/page-title.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { TerminalView } from '../terminal/terminal-view.tsx';
import { useHasTerminal } from '../terminal/use-has-terminal.ts';
import { ChainTree } from './chain-tree.tsx';
import { RunOutput } from './output/run-output.tsx';
import { RunStream, type StreamSnapshot } from './output/run-stream.ts';
import { RunFacts, RunInputs } from './run-facts.tsx';
import { RunHeader } from './run-header.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { deletionKey, type RunRecord, recordQuery, runPageKey } from './run-query.ts';
import { RunResult } from './run-result.tsx';

const everyMs = 5000;

/** The page of a run, updated live. */
export function RunPage({ id }: { id: string }) {
  const say = useSay();
  const isBeingDeleted = useIsMutating({ mutationKey: deletionKey(id) }) > 0;
  const { data, error, refetch } = useQuery({ ...recordQuery(id), enabled: !isBeingDeleted });
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
  const isLive = run.ended_at === null;
  usePollWhileHidden(run.run_id, isLive);
  const hasTerminal = useHasTerminal(run.run_id, isLive);
  const [isText, setText] = useState(false);
  const output = useRunStream(run.run_id, isText || !hasTerminal);
  const news = useRunNews(run.run_id);
  const progress = output.progress ?? news;
  const { data } = useQuery(scriptsQuery);
  const script = data === undefined ? undefined : scriptOf(data.scripts, run.script_id);
  return (
    <>
      <RunHeader run={run} script={script} />
      {isLive && progress !== null && <RunProgress progress={progress} />}
      <RunOutcome run={run} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {hasTerminal && (
            <div>
              <OutputSwitch isText={isText} onChoose={setText} />
            </div>
          )}
          {hasTerminal && !isText ? (
            <TerminalView runId={run.run_id} isLive={isLive} />
          ) : (
            <RunOutput run={run} output={output} />
          )}
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

/** Switches between the terminal, which takes input, and the text view, which can be searched. */
function OutputSwitch({ isText, onChoose }: { isText: boolean; onChoose: (isText: boolean) => void }) {
  const say = useSay();
  return (
    <Segmented
      label={say('Output view', '输出的显示方式')}
      value={isText ? 'text' : 'terminal'}
      choices={[
        { value: 'terminal', name: say('Terminal', '终端') },
        { value: 'text', name: say('Text', '文本') },
      ]}
      onChange={(chosen) => onChoose(chosen === 'text')}
    />
  );
}

function scriptOf(scripts: readonly Script[], id: string): Script | null {
  return scripts.find((script) => script.id === id) ?? null;
}

function UnknownRun() {
  const say = useSay();
  useTabTitle(say('Run not found', '没有这次运行'));
  return (
    <Empty
      isPage
      title={say('Run not found', '没有这次运行')}
      action={
        <Link href="/runs" className={buttonClasses()}>
          {say('All runs', '全部运行记录')}
        </Link>
      }
    >
      {say(
        'The run was deleted, or it is older than the history that Hob keeps.',
        '可能已被删除，或已超出历史记录的保留期限。',
      )}
    </Empty>
  );
}

/** The progress that the script reported. */
function RunProgress({ progress: { fraction, message } }: { progress: Progress }) {
  const say = useSay();
  return (
    <div className="mb-4">
      <p className="mb-1.5 flex gap-3 text-muted">
        <span className="min-w-0 grow wrap-anywhere">{message}</span>
        {fraction !== null && <span className="tabular-nums">{Math.round(fraction * 100)}%</span>}
      </p>
      <ProgressBar fraction={fraction} label={message ?? say('Progress', '进度')} />
    </div>
  );
}

/** Follows the output of a run from its start while `isWanted` is true. */
function useRunStream(runId: string, isWanted: boolean): StreamSnapshot {
  const client = useQueryClient();
  const [stream, setStream] = useState(() => new RunStream());
  useEffect(() => {
    if (!isWanted) return;
    const ending = new AbortController();
    const followed = new RunStream();
    setStream(followed);
    const onChange = () => void client.invalidateQueries({ queryKey: [runPageKey, runId] });
    void followed.follow(runId, onChange, ending.signal);
    return () => ending.abort();
  }, [client, runId, isWanted]);
  return useSyncExternalStore(stream.subscribe, stream.current);
}

/**
 * Polls the record of a run while the page is hidden. A hidden page receives no events, but the title of its tab shows the state of the
 * run.
 */
function usePollWhileHidden(runId: string, isLive: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isLive) return;
    const { queryKey } = recordQuery(runId);
    const look = () => {
      if (document.visibilityState === 'hidden') void client.refetchQueries({ queryKey });
    };
    const timer = setInterval(look, everyMs);
    return () => clearInterval(timer);
  }, [client, runId, isLive]);
}

/**
 * The progress of a run from the global event stream. Also refetches its record when it starts or ends. A page with a terminal then needs no
 * second stream for the run, because browsers allow few connections.
 */
function useRunNews(runId: string): Progress | null {
  const client = useQueryClient();
  const { subscribe } = useLive();
  const [progress, setProgress] = useState<Progress | null>(null);
  useEffect(
    () =>
      subscribe((event) => {
        const { type, data } = event;
        if (data.run_id !== runId) return;
        const told = progressIn(event);
        if (told !== null) setProgress(told);
        if (type === 'run.started' || type === 'run.ended')
          void client.invalidateQueries({ queryKey: [runPageKey, runId] });
      }),
    [client, subscribe, runId],
  );
  return progress;
}
