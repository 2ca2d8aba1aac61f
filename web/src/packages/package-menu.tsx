import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronRight, RefreshCw, Trash2, Undo2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';

import { hob } from '../api/hob.ts';
import { operationsQuery, packagesQuery } from '../api/queries.ts';
import type { InstalledPackage, OperationStarted, Uninstalled } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Failure, messageOf } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { Menu } from '../parts/menu.tsx';
import { Ago } from '../parts/time.tsx';
import { useToast } from '../parts/toasts.tsx';
import { OperationDialog } from './operation-dialog.tsx';
import { isRunning, useOperations } from './operations.tsx';
import { emptyOrigin, originField, type PackageOrigin, requestOf } from './package-origin.ts';

/** The actions for an installed script. Renders nothing for scripts that Hob has not installed. */
export function PackageMenu({ scriptId }: { scriptId: string }) {
  const { data } = useQuery(packagesQuery);
  const item = data?.items.find(({ script_id }) => script_id === scriptId.toLowerCase());
  return item === undefined ? null : <MenuOf item={item} />;
}

type Shown = 'nothing' | 'update' | 'rollback' | 'remove' | 'operation';

function MenuOf({ item }: { item: InstalledPackage }) {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const { all } = useOperations();
  const [, navigate] = useLocation();
  const [shown, setShown] = useState<Shown>('nothing');
  const [origin, setOrigin] = useState<PackageOrigin>(emptyOrigin);
  const [operationId, setOperationId] = useState<string | null>(null);
  const show = (id: string) => {
    setOperationId(id);
    setShown('operation');
  };
  const { script_id, name, version, previous } = item;
  const path = `/api/packages/${encodeURIComponent(script_id)}`;
  const close = () => setShown('nothing');

  const begin = useMutation({
    mutationFn: ({ what, body }: { what: 'update' | 'rollback'; body: Record<string, string> }) =>
      hob.request<OperationStarted>('POST', `${path}/${what}`, { body }),
    onSuccess: ({ operation_id }) => {
      void client.invalidateQueries(operationsQuery);
      show(operation_id);
    },
    onError: (error, { what }) =>
      what === 'rollback' && toast({ kind: 'error', title: messageOf(error, say) }),
  });
  const remove = useMutation({
    mutationFn: () => hob.request<Uninstalled>('DELETE', path),
    onSuccess: ({ message }) => {
      toast({ kind: 'success', title: message });
      navigate('/');
    },
    onError: (error) => toast({ kind: 'error', title: messageOf(error, say) }),
  });
  const underway = all.find((each) => each.script_id === script_id && isRunning(each));
  const isBusy = underway !== undefined;
  const before = previous?.version ?? say('the previous version', '上一个版本');
  return (
    <>
      <Menu
        label={say('More actions', '更多')}
        items={[
          {
            name: isBusy ? say('In progress…', '进行中……') : say('Update', '更新'),
            icon: <RefreshCw size={16} aria-hidden />,
            onSelect: () => {
              if (underway !== undefined) return show(underway.operation_id);
              begin.reset();
              setOrigin(emptyOrigin);
              setShown('update');
            },
          },
          {
            name: say('Roll back', '回退'),
            icon: <Undo2 size={16} aria-hidden />,
            isDisabled: previous === null || isBusy,
            onSelect: () => setShown('rollback'),
          },
          {
            name: say('Uninstall', '移除'),
            icon: <Trash2 size={16} aria-hidden />,
            isDangerous: true,
            isDisabled: isBusy,
            onSelect: () => setShown('remove'),
          },
        ]}
      />
      <UpdateDialog
        isOpen={shown === 'update'}
        item={item}
        origin={origin}
        error={begin.error}
        isPending={begin.isPending}
        onChange={setOrigin}
        onClose={close}
        onUpdate={() => begin.mutate({ what: 'update', body: requestOf(origin) })}
      />
      <Confirm
        isOpen={shown === 'rollback'}
        title={say(`Roll back to ${before}?`, `回退到 ${before}？`)}
        description={say(
          `${version ?? 'The current version'} is kept. Roll back again to return to it.`,
          `${version ?? '当前版本'} 会保留，再次回退即可恢复。`,
        )}
        action={say('Roll back', '回退')}
        onConfirm={() => begin.mutate({ what: 'rollback', body: {} })}
        onClose={close}
      />
      <Confirm
        isOpen={shown === 'remove'}
        title={say(`Uninstall ${name}?`, `移除 ${name}？`)}
        description={say(
          'This deletes the files of the script and of its previous version. The run history is kept, and active runs continue.',
          '将删除脚本文件及上一版本，运行记录会保留，正在进行的运行不受影响。',
        )}
        action={say('Uninstall', '移除')}
        onConfirm={() => remove.mutate()}
        onClose={close}
      />
      <OperationDialog id={operationId} title={name} isOpen={shown === 'operation'} onClose={close} />
    </>
  );
}

interface UpdateDialogProps {
  readonly isOpen: boolean;
  readonly item: InstalledPackage;
  readonly origin: PackageOrigin;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onChange: (origin: PackageOrigin) => void;
  readonly onClose: () => void;
  readonly onUpdate: () => void;
}

/** Shows the source of the new version, and lets the user change it. */
function UpdateDialog(props: UpdateDialogProps) {
  const { isOpen, item, origin, error, isPending, onChange, onClose, onUpdate } = props;
  const say = useSay();
  const form = useId();
  const { source, installed_at } = item;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) onUpdate();
  };
  const textOf = (name: 'source' | 'ref') => ({
    ...originField(origin, name, onChange),
    placeholder: (name === 'ref' ? source?.ref : source?.location) ?? '',
  });
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={say(`Update ${item.name}`, `更新 ${item.name}`)}
      description={say(
        'The current version stays in place until the new one works. You can roll back to it later.',
        '新版本可用之前，当前版本保持不变，之后也可回退。',
      )}
      actions={
        <>
          <Button onClick={onClose}>{say('Cancel', '取消')}</Button>
          <Button type="submit" form={form} look="primary" disabled={isPending}>
            {say('Update', '更新')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4 pt-1">
        {source !== null && (
          <div className="rounded-lg bg-hover px-3 py-2">
            <p className="font-mono text-[13px] break-all">
              {source.location}
              {source.ref !== null && ` · ${source.ref}`}
              {source.path !== null && ` · ${source.path}`}
            </p>
            {installed_at !== null && (
              <p className="text-xs text-muted">
                {say('Installed ', '安装于 ')}
                <Ago time={installed_at} />
              </p>
            )}
          </div>
        )}
        {source?.kind === 'git' && (
          <Field label={say('Branch, tag or commit', '分支、标签或提交')}>
            {({ id, describedBy }) => <input id={id} aria-describedby={describedBy} {...textOf('ref')} />}
          </Field>
        )}
        <details className="group" open={source === null}>
          <summary className="flex items-center gap-1 text-muted select-none hover:text-ink [&::-webkit-details-marker]:hidden">
            <ChevronRight size={15} aria-hidden className="transition-transform group-open:rotate-90" />
            {say('Use another source from now on', '今后改从其他来源更新')}
          </summary>
          <div className="pt-3">
            <Field label={say('Source', '来源')}>
              {({ id, describedBy }) => (
                <input id={id} aria-describedby={describedBy} {...textOf('source')} />
              )}
            </Field>
          </div>
        </details>
        {error !== null && <Failure error={error} />}
      </form>
    </Dialog>
  );
}
