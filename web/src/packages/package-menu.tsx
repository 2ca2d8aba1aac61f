import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RefreshCw, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { callService } from '../api/call-service.ts';
import { operationsQuery, packagesQuery } from '../api/queries.ts';
import type { InstalledPackage, OperationStarted, Uninstalled } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { messageOf } from '../parts/failure.tsx';
import { Menu } from '../parts/menu.tsx';
import { useToast } from '../parts/toasts.tsx';
import { OperationDialog } from './operation-dialog.tsx';
import { isRunning, useOperations } from './operations.tsx';
import { emptyOrigin, type PackageOrigin, requestOf } from './package-origin.ts';
import { UpdateDialog } from './update-dialog.tsx';

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
      callService<OperationStarted>(`${path}/${what}`, { method: 'POST', body }),
    onSuccess: ({ operation_id }) => {
      void client.invalidateQueries(operationsQuery);
      show(operation_id);
    },
    onError: (error, { what }) => what === 'rollback' && toast({ kind: 'error', title: messageOf(error) }),
  });
  const remove = useMutation({
    mutationFn: () => callService<Uninstalled>(path, { method: 'DELETE' }),
    onSuccess: ({ message }) => {
      toast({ kind: 'success', title: message });
      navigate('/');
    },
    onError: (error) => toast({ kind: 'error', title: messageOf(error) }),
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
