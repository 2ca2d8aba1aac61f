import { Ban, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import type { Run, Script } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { useTabTitle } from '../parts/page-title.tsx';
import { StateBadge, shownState, stateName } from '../parts/run-state.tsx';
import { Ago } from '../parts/time.tsx';
import { useCtrlEnter } from '../parts/use-ctrl-enter.ts';
import { RunTime, WaitedTime } from './run-time.tsx';
import { SecretsDialog } from './secrets-dialog.tsx';
import { type RunActions, useRunActions } from './use-run-actions.ts';

interface RunHeaderProps {
  readonly run: Run;
  /** Null if the script no longer exists; undefined while unknown. */
  readonly script: Script | null | undefined;
}

/** The name, state and actions of a run. */
export function RunHeader({ run, script }: RunHeaderProps) {
  const say = useSay();
  const actions = useRunActions(run.run_id);
  useTabTitle(`${run.script_name} · ${stateName(shownState(run), say)}`);
  return (
    <header className="mb-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight wrap-anywhere">
            {script === null ? (
              run.script_name
            ) : (
              <Link href={`/scripts/${run.script_id}`} className="rounded hover:underline">
                {run.script_name}
              </Link>
            )}
          </h1>
          {/* An output element, so that screen readers announce changes of the state. */}
          <output>
            <StateBadge state={shownState(run)} />
          </output>
        </div>
        <Buttons run={run} isGone={script === null} actions={actions} />
      </div>
      <p className="mt-1 flex flex-wrap gap-x-2 text-muted [&>*+*]:before:mr-2 [&>*+*]:before:content-['·']">
        <span className="text-ink">
          <RunTime run={run} />
        </span>
        <WaitedTime run={run} />
        <span>
          <Ago time={run.started_at ?? run.queued_at} />
        </span>
        <span>{originWords(run.origin, say)}</span>
        {script === null && run.origin !== 'hob' && (
          <span className="text-warn">{say('script no longer exists', '该脚本已不存在')}</span>
        )}
      </p>
      <SecretsDialog
        names={actions.secrets}
        script={script ?? null}
        onGive={actions.runAgain}
        onClose={actions.closeSecrets}
      />
    </header>
  );
}

function Buttons({ run, isGone, actions }: { run: Run; isGone: boolean; actions: RunActions }) {
  const say = useSay();
  const [isDeleting, setDeleting] = useState(false);
  const lasts = run.ended_at === null;
  const { runAgain } = actions;
  // Disabled while the run is active, because a second run is rarely intended.
  useCtrlEnter(isGone || lasts ? null : () => runAgain());
  return (
    <div className="ml-auto flex flex-wrap items-center gap-2">
      {lasts && (
        <Button look="danger" disabled={actions.isStopping} onClick={actions.cancel}>
          <Ban size={15} aria-hidden />
          {actions.isStopping ? say('Stopping…', '正在停止……') : say('Cancel run', '取消运行')}
        </Button>
      )}
      {!isGone && (
        <>
          <Link href={`/scripts/${run.script_id}?from=${run.run_id}`} className={buttonClasses()}>
            <Pencil size={15} aria-hidden />
            {say('Edit and run', '修改后运行')}
          </Link>
          <Button
            look={lasts ? 'plain' : 'primary'}
            title={lasts ? undefined : 'Ctrl+Enter'}
            aria-keyshortcuts={lasts ? undefined : 'Control+Enter'}
            disabled={actions.isStarting}
            onClick={() => runAgain()}
          >
            <RotateCcw size={15} aria-hidden />
            {say('Run again', '重新运行')}
          </Button>
        </>
      )}
      {!lasts && (
        <Menu
          label={say('More actions', '更多')}
          items={[
            {
              name: say('Delete', '删除'),
              icon: <Trash2 size={15} aria-hidden />,
              isDangerous: true,
              onSelect: () => setDeleting(true),
            },
          ]}
        />
      )}
      <Confirm
        isOpen={isDeleting}
        title={say('Delete this run?', '删除这次运行？')}
        description={say(
          'This permanently deletes the record, output and result of the run. Files that the script created elsewhere are kept.',
          '其记录、输出和结果将被永久删除；脚本在其他位置生成的文件不受影响。',
        )}
        action={say('Delete', '删除')}
        onConfirm={actions.remove}
        onClose={() => setDeleting(false)}
      />
    </div>
  );
}

/** A phrase about the origin of a run. */
function originWords(origin: Run['origin'], say: Say): string {
  switch (origin) {
    case 'execute':
      return say('started through the API', '由程序调用');
    case 'link':
      return say('started by another script', '由其他脚本调用');
    case 'console':
      return say('started from the console', '来自控制台');
    case 'cli':
      return say('started from the command line', '来自命令行');
    case 'schedule':
      return say('started by a schedule', '按计划');
    case 'hob':
      return say('started by Hob', '由 Hob 发起');
  }
}
