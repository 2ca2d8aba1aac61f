import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Check, CircleAlert, CircleCheck } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';

import { hob, readLimitMs } from '../api/hob.ts';
import { type Operation, operationStages as stages } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CodeBox } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bytesText } from '../parts/format.ts';
import { Loading } from '../parts/loading.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { ProblemList } from '../scripts/problem-list.tsx';
import { useOperations } from './operations.tsx';

interface OperationDialogProps {
  readonly id: string | null;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Actions after success. */
  readonly next?: (operation: Operation) => ReactNode;
  /** Returns to the form after a failure. */
  readonly onAgain?: (operation: Operation) => void;
}

/** Shows an operation until it ends. If the dialog is closed earlier, the operation continues and a toast reports its end. */
export function OperationDialog(props: OperationDialogProps) {
  const { id, title, isOpen, onClose, next, onAgain } = props;
  const say = useSay();
  const { all, isAsking, watch } = useOperations();
  const operation = all.find(({ operation_id }) => operation_id === id);
  useEffect(() => (isOpen && id !== null ? watch(id) : undefined), [isOpen, id, watch]);
  const cancel = useMutation({
    mutationFn: (id: string) =>
      hob.request('POST', `/api/packages/operations/${encodeURIComponent(id)}/cancel`),
  });
  const state = operation?.state;
  const hasFailed = state === 'failed' || state === 'cancelled';
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      actions={
        <>
          {operation !== undefined && state === 'running' && (
            <Button disabled={cancel.isPending} onClick={() => cancel.mutate(operation.operation_id)}>
              {say('Stop', '停止')}
            </Button>
          )}
          {operation !== undefined && hasFailed && onAgain && (
            <Button onClick={() => onAgain(operation)}>{say('Edit and try again', '修改后重试')}</Button>
          )}
          <Button onClick={onClose}>
            {state === 'running' ? say('Continue in background', '在后台继续') : say('Close', '关闭')}
          </Button>
          {operation !== undefined && state === 'done' && next?.(operation)}
        </>
      }
    >
      {operation !== undefined ? (
        <OperationView operation={operation} />
      ) : isAsking ? (
        <Loading />
      ) : (
        <p role="alert">
          {say(
            'Hob was restarted and does not know how this operation ended. Check the list of scripts.',
            'Hob 已重新启动，无法得知此操作的结果。',
          )}
        </p>
      )}
    </Dialog>
  );
}

/** The reason of a failed build is at the end of the log. */
const lastBytes = 20_000;

const logQuery = (runId: string) =>
  queryOptions({
    queryKey: ['build-log', runId],
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=-${lastBytes}` };
      const read = async (stream: string) => {
        const path = `/api/runs/${encodeURIComponent(runId)}/${stream}`;
        return (await hob.open('GET', path, { headers, signal, limitMs: readLimitMs })).text();
      };
      // An empty stream answers a range request with an error.
      const parts = await Promise.all(['stdout', 'stderr'].map((stream) => read(stream).catch(() => '')));
      return parts.join('').trim();
    },
  });

type Stage = NonNullable<Operation['stage']>;

/** The progress or the result of an operation. */
function OperationView({ operation }: { operation: Operation }) {
  switch (operation.state) {
    case 'running':
      return <Underway operation={operation} />;
    case 'done':
      return <Done operation={operation} />;
    default:
      return <Failed operation={operation} />;
  }
}

function Underway({ operation }: { operation: Operation }) {
  const say = useSay();
  const { stage, entries_done, bytes_done, run_id } = operation;
  const at = stage === null ? stages.length : stages.indexOf(stage);
  return (
    <div className="flex flex-col gap-4">
      <ProgressBar fraction={null} label={stageName(stage ?? 'switching', say)} />
      <ol className="flex flex-col gap-2">
        {stages.map((each, index) => (
          <li
            key={each}
            aria-current={index === at ? 'step' : undefined}
            className={classes('flex items-center gap-2.5', index === at ? 'font-medium' : 'text-muted')}
          >
            <span className="grid size-5 place-items-center">
              {index < at ? (
                <Check size={16} aria-hidden className="text-good" />
              ) : (
                <span
                  className={classes('size-2 rounded-full', index === at ? 'bg-accent' : 'bg-line-strong')}
                />
              )}
            </span>
            {stageName(each, say)}
            {each === 'fetching' && entries_done > 0 && (
              <span className="ml-auto text-xs font-normal text-muted tabular-nums">
                {say(entries_done === 1 ? '1 file' : `${entries_done} files`, `${entries_done} 个文件`)} ·{' '}
                {bytesText(bytes_done)}
              </span>
            )}
            {each === 'preparing' && run_id !== null && (
              <Link href={`/runs/${run_id}`} className="ml-auto text-xs font-normal text-accent underline">
                {say('View log', '查看日志')}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Done({ operation }: { operation: Operation }) {
  const say = useSay();
  const { kind, script_name, version, warnings } = operation;
  const what = [script_name, version].filter((part) => part !== null).join(' ');
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="flex items-center gap-2 font-medium text-good">
        <CircleCheck size={18} aria-hidden className="shrink-0" />
        <span className="min-w-0 break-words">
          {kind === 'install'
            ? say(`Installed ${what}`, `已安装 ${what}`)
            : say(`Current version: ${what}`, `当前为 ${what}`)}
        </span>
      </p>
      {warnings.length > 0 && (
        <ul className="flex flex-col gap-1 rounded-lg bg-warn-ground px-3 py-2 text-warn">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Failed({ operation }: { operation: Operation }) {
  const say = useSay();
  const { state, error, problems, run_id } = operation;
  return (
    <div className="flex flex-col gap-3">
      <div role="alert" className="flex gap-2 rounded-lg bg-bad-ground px-3 py-2">
        <CircleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-bad" />
        <div className="min-w-0 break-words">
          <p className="font-medium text-bad">
            {state === 'cancelled'
              ? say('Stopped. Nothing was changed.', '已停止，未作任何更改')
              : error?.message}
          </p>
          {error !== null && error.hint !== '' && problems.length === 0 && state === 'failed' && (
            <p>{error.hint}</p>
          )}
        </div>
      </div>
      <ProblemList problems={problems} />
      {run_id !== null && state === 'failed' && <BuildLog runId={run_id} />}
    </div>
  );
}

function stageName(stage: Stage, say: Say): string {
  const names: Readonly<Record<Stage, string>> = {
    fetching: say('Fetching files', '获取文件'),
    checking: say('Checking the script', '检查脚本'),
    preparing: say('Preparing the environment', '准备运行环境'),
    switching: say('Switching to the new version', '切换到新版本'),
  };
  return names[stage];
}

/** The end of the log of an environment build. */
function BuildLog({ runId }: { runId: string }) {
  const say = useSay();
  const { data } = useQuery(logQuery(runId));
  if (data === undefined || data === '') return null;
  return (
    <div>
      <div className="mb-1 flex items-center justify-between">
        <p className="font-medium">{say('Log', '日志')}</p>
        <Link href={`/runs/${runId}`} className="text-[13px] text-accent underline">
          {say('View full log', '查看全部')}
        </Link>
      </div>
      <CodeBox label={say('Log', '日志')} text={data} />
    </div>
  );
}
