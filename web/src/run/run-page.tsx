import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';

import { HobError } from '../api/hob.ts';
import { useLive } from '../api/live-events.tsx';
import { scriptsQuery, terminalQuery } from '../api/queries.ts';
import type { Progress } from '../api/run-events.ts';
import type { Run, Script } from '../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { durationText } from '../parts/format.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { Loading } from '../parts/loading.tsx';
import { PageTitle, useTabTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { ChainTree } from './chain-tree.tsx';
import { RunOutput } from './output/run-output.tsx';
import { RunStream, type StreamSnapshot } from './output/run-stream.ts';
import { RunAttempts } from './run-attempts.tsx';
import { RunHeader } from './run-header.tsx';
import { RunOutcome, RunResult } from './run-outcome.tsx';
import { deletionKey, type RunRecord, recordQuery, runPageKey } from './run-query.ts';
import { RunTime } from './run-time.tsx';
import { isContainer, ValueTree } from './values/value-tree.tsx';

const everyMs = 5000;

/** The page of a run, updated live. */
export function RunPage({ id }: { id: string }) {
  const say = useSay();
  const isBeingDeleted = useIsMutating({ mutationKey: deletionKey(id) }) > 0;
  const { data, error, refetch } = useQuery({ ...recordQuery(id), enabled: !isBeingDeleted });
  if (error instanceof HobError && error.status === 404) return <UnknownRun />;
  if (data !== undefined) return <KnownRun record={data} />;
  return (
    <>
      <PageTitle title={say('Run', '运行')} />
      <Pending error={error} refetch={refetch} />
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
          <RunAttempts run={run} />
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
      subscribe(({ type, data }) => {
        if (type === 'run.progress' && data.run_id === runId) setProgress(data);
        if ((type === 'run.started' || type === 'run.ended') && data.run_id === runId)
          void client.invalidateQueries({ queryKey: [runPageKey, runId] });
      }),
    [client, subscribe, runId],
  );
  return progress;
}

// Loaded on demand: xterm.js is larger than the rest of the console, and most runs have no terminal.
const TerminalScreen = lazyPart(async () => (await import('../terminal/terminal-screen.tsx')).TerminalScreen);

interface TerminalViewProps {
  readonly runId: string;
  /** Whether the run is active; only then it takes input. */
  readonly isLive: boolean;
}

/** The terminal of a run. */
function TerminalView({ runId, isLive }: TerminalViewProps) {
  return (
    <Suspense fallback={<Loading />}>
      <TerminalScreen key={runId} runId={runId} isLive={isLive} />
    </Suspense>
  );
}

/** Whether a run has an open terminal, or had one since the page was opened. It stays visible after the run has ended. */
function useHasTerminal(runId: string, isLive: boolean): boolean {
  const [hasHad, setHad] = useState(false);
  const { data } = useQuery({ ...terminalQuery(runId), enabled: isLive && !hasHad });
  if (data?.open === true && !hasHad) setHad(true);
  return hasHad || data?.open === true;
}

/** Times and ids of a run. */
function RunFacts({ run }: { run: Run }) {
  const say = useSay();
  const began = run.started_at ?? run.ended_at;
  return (
    <Panel title={say('Details', '详情')}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 [&_dt]:text-muted">
        <Fact name={say('Queued', '排队')}>
          <Moment time={run.queued_at} />
        </Fact>
        <Fact name={say('Started', '开始')}>{run.started_at && <Moment time={run.started_at} />}</Fact>
        <Fact name={say('Ended', '结束')}>{run.ended_at && <Moment time={run.ended_at} />}</Fact>
        <Fact name={say('Wait time', '等待')}>
          {began && durationText(Date.parse(began) - Date.parse(run.queued_at))}
        </Fact>
        <Fact name={say('Duration', '耗时')}>{run.started_at && <RunTime run={run} />}</Fact>
        <Fact name={say('Exit code', '退出码')}>{run.exit_code}</Fact>
        <Fact name={say('Version', '版本')}>{run.script_version}</Fact>
        <Fact name={say('Run ID', '运行')}>
          <Id id={run.run_id} />
        </Fact>
        <Fact name={say('Script ID', '脚本')}>
          <Id id={run.script_id} />
        </Fact>
        <Fact name={say('Called by', '调用者')}>
          {run.parent_run_id && (
            <Link
              href={`/runs/${run.parent_run_id}`}
              className="font-mono text-xs break-all underline underline-offset-2"
            >
              {run.parent_run_id}
            </Link>
          )}
        </Fact>
      </dl>
    </Panel>
  );
}

/** The input of a run. The service masks secrets. */
function RunInputs({ run }: { run: Run }) {
  const say = useSay();
  const parts = [
    { name: say('Data', '数据'), value: run.data },
    { name: say('Parameters', '参数'), value: run.params },
  ].filter(({ value }) => isContainer(value) && Object.keys(value).length > 0);
  if (parts.length === 0) return null;
  return (
    <Panel title={say('Input', '输入')}>
      {parts.map(({ name, value }) => (
        <div key={name} className="[&+&]:mt-3">
          <h3 className="mb-1 text-xs font-medium text-muted">{name}</h3>
          <div className="font-mono text-[13px]">
            <ValueTree value={value} />
          </div>
        </div>
      ))}
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

function Id({ id }: { id: string }) {
  return (
    <span className="-my-1 flex items-center gap-1">
      <span className="truncate font-mono text-xs" title={id}>
        {id}
      </span>
      <CopyButton text={id} />
    </span>
  );
}

const momentFormat = { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' } as const;

function Moment({ time }: { time: string }) {
  const { language } = useLanguage();
  return (
    <time dateTime={time} title={time}>
      {new Date(time).toLocaleString(tagOf(language), momentFormat)}
    </time>
  );
}
