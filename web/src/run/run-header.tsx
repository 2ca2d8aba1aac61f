import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';

import { hob, isRefused } from '../api/hob.ts';
import type { Rerun, Run, Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { hintOf, messageOf } from '../parts/failure.tsx';
import { Field, inputClasses } from '../parts/field.tsx';
import { useCtrlEnter } from '../parts/keys.ts';
import { Menu } from '../parts/menu.tsx';
import { useTabTitle } from '../parts/page-title.tsx';
import { StateBadge } from '../parts/run-state.tsx';
import { Ago } from '../parts/time.tsx';
import { useToast } from '../parts/toasts.tsx';
import { originWords, shownState, stateName } from '../parts/words-of-runs.ts';
import { deletionKey, runPageKey } from './run-query.ts';
import { RunTime, WaitedTime } from './run-time.tsx';

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
        {run.trigger_id === null ? (
          <span>{originWords(run, say)}</span>
        ) : (
          <span>
            {say('started by the trigger ', '触发器：')}
            <Link href={`/triggers/${run.trigger_id}`} className="underline underline-offset-2">
              {run.trigger_id}
            </Link>
          </span>
        )}
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

interface SecretsDialogProps {
  readonly names: readonly string[];
  readonly script: Script | null;
  readonly onGive: (params: Readonly<Record<string, unknown>>) => void;
  readonly onClose: () => void;
}

/** Asks for the secrets of a run again, because Hob does not keep them. */
function SecretsDialog({ names, script, onGive, onClose }: SecretsDialogProps) {
  const say = useSay();
  const form = useId();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const paramOf = (name: string) => script?.params.find((param) => param.name === name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onGive(
      Object.fromEntries(
        names.map((name) => [name, secretValue(texts[name] ?? '', paramOf(name)?.type ?? 'str')]),
      ),
    );
    onClose();
  };
  const close = () => {
    setTexts({});
    onClose();
  };
  return (
    <Dialog
      isOpen={names.length > 0}
      onClose={close}
      title={say('Enter the secrets again', '需要重新填写密钥')}
      description={say('Hob does not keep secrets after a run ends.', '运行结束后 Hob 不会保留密钥。')}
      actions={
        <>
          <Button onClick={close}>{say('Cancel', '取消')}</Button>
          <Button type="submit" form={form} look="primary">
            {say('Run again', '重新运行')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4 pt-1">
        {names.map((name) => (
          <Field key={name} label={paramOf(name)?.label ?? name} isRequired>
            {({ id }) => (
              <input
                id={id}
                type="password"
                autoComplete="off"
                required
                value={texts[name] ?? ''}
                onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
                className={inputClasses}
              />
            )}
          </Field>
        ))}
      </form>
    </Dialog>
  );
}

type Params = Readonly<Record<string, unknown>>;

/** The actions for a run, with error messages. */
function useRunActions(runId: string) {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [secrets, setSecrets] = useState<readonly string[]>([]);
  const path = `/api/runs/${encodeURIComponent(runId)}`;
  const showError = (title: string) => (error: unknown) => {
    toast({
      kind: 'error',
      title,
      message: [messageOf(error, say), hintOf(error)].filter(Boolean).join('\n'),
    });
  };

  const cancel = useMutation({
    mutationFn: () => hob.request('POST', `${path}/cancel`),
    onError: showError(say('Could not cancel the run', '无法取消')),
    onSettled: () => client.invalidateQueries({ queryKey: [runPageKey, runId] }),
  });
  const again = useMutation({
    mutationFn: (params: Params) => hob.request<Rerun>('POST', `${path}/rerun`, { body: { params } }),
    onSuccess: ({ run_id }) => navigate(`/runs/${run_id}`),
    onError: (error) => {
      const needed = neededSecrets(error);
      if (needed.length > 0) setSecrets(needed);
      else showError(say('Could not run again', '无法重新运行'))(error);
    },
  });
  const remove = useMutation({
    mutationKey: deletionKey(runId),
    mutationFn: () => hob.request('DELETE', path),
    onMutate: () => client.cancelQueries({ queryKey: [runPageKey, runId] }),
    onSuccess: () => {
      // Long lists are not refetched as a whole, so remove them from the cache.
      client.removeQueries({ queryKey: ['run-list'] });
      navigate('/runs');
      client.removeQueries({ queryKey: [runPageKey, runId] });
      void client.invalidateQueries({ queryKey: ['runs'] });
      toast({ kind: 'success', title: say('Run deleted', '运行记录已删除') });
    },
    onError: (error) => {
      showError(say('Could not delete the run', '无法删除'))(error);
      void client.invalidateQueries({ queryKey: [runPageKey, runId] });
    },
  });
  return {
    cancel: () => cancel.mutate(),
    isStopping: cancel.isPending || cancel.isSuccess,
    runAgain: (params: Params = {}) => {
      if (!again.isPending) again.mutate(params);
    },
    isStarting: again.isPending,
    /** Names of the secrets that a new run needs. */
    secrets,
    closeSecrets: () => setSecrets([]),
    remove: () => remove.mutate(),
  };
}

type RunActions = ReturnType<typeof useRunActions>;

const place = 'params.';

/** The names of the secrets to enter again; empty for other errors. */
export function neededSecrets(error: unknown): readonly string[] {
  if (!isRefused(error) || error.code !== 'secrets-needed') return [];
  return error.fields.filter((field) => field.startsWith(place)).map((field) => field.slice(place.length));
}

/** Converts entered text to the type of the parameter. Invalid text is sent unchanged, and the service refuses it with a reason. */
export function secretValue(text: string, type: string): unknown {
  if (type === 'str') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
