import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';

import { hob } from '../api/hob.ts';
import type { Fired, Trigger } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { BareSwitch } from '../parts/labelled-switch.tsx';
import { useShowError } from '../parts/show-error.ts';
import { useToast } from '../parts/toasts.tsx';
import { triggerPath } from './words-of-triggers.ts';

/** Pauses and resumes a trigger. A broken trigger can be paused too. */
export function TriggerSwitch({ trigger: { id, state } }: { trigger: Trigger }) {
  const say = useSay();
  const client = useQueryClient();
  const showError = useShowError();
  const turn = useMutation({
    mutationFn: (enabled: boolean) => hob.request('PATCH', `/api${triggerPath(id)}`, { body: { enabled } }),
    onError: (error, enabled) =>
      showError(
        enabled
          ? say('Could not resume the trigger', '无法恢复触发器')
          : say('Could not pause the trigger', '无法暂停触发器'),
      )(error),
    // The switch shows the wanted state until the list arrives.
    onSettled: () => client.invalidateQueries({ queryKey: ['triggers'] }),
  });
  return (
    <BareSwitch
      checked={turn.isPending ? turn.variables : state !== 'off'}
      onCheckedChange={(enabled) => turn.mutate(enabled)}
      aria-label={say(`On: ${id}`, `启用：${id}`)}
      title={state === 'off' ? say('Resume', '恢复') : say('Pause', '暂停')}
    />
  );
}

/** Starts a run now, and links to it. A folder trigger has none: a file in its folder starts it. */
export function FireButton({ trigger: { id, kind, state } }: { trigger: Trigger }) {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const showError = useShowError();
  const fire = useMutation({
    mutationFn: () => hob.request<Fired>('POST', `/api${triggerPath(id)}/fire`, { body: {} }),
    onSuccess: ({ run_id }) =>
      toast({
        kind: 'success',
        title: say(`Fired ${id}`, `已触发 ${id}`),
        link: { href: `/runs/${run_id}`, name: say('View run', '查看运行') },
      }),
    onError: showError(say(`Could not fire ${id}`, `无法触发 ${id}`)),
    onSettled: () => client.invalidateQueries({ queryKey: ['triggers'] }),
  });
  if (kind === 'folder') return null;
  return (
    <Button
      aria-label={say(`Fire now: ${id}`, `立即触发：${id}`)}
      disabled={state === 'broken' || state === 'script-missing'}
      isBusy={fire.isPending}
      onClick={() => fire.mutate()}
    >
      <Play size={15} aria-hidden />
      {say('Fire now', '立即触发')}
    </Button>
  );
}

/** Removes a trigger after a confirmation. Returns the function that asks, and the dialog. */
export function useRemoval({ id, kind }: Pick<Trigger, 'id' | 'kind'>, onRemoved: () => void) {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const showError = useShowError();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => hob.request('DELETE', `/api${triggerPath(id)}`),
    onSuccess: () => {
      toast({ kind: 'success', title: say(`Deleted ${id}`, `已删除 ${id}`) });
      onRemoved();
      void client.invalidateQueries({ queryKey: ['triggers'] });
    },
    onError: showError(say('Could not delete the trigger', '无法删除触发器')),
  });
  const dialog = (
    <Confirm
      isOpen={isAsking}
      title={say(`Delete the trigger ${id}?`, `删除触发器 ${id}？`)}
      description={
        say(
          'This removes its entry from triggers.toml and the records of its firings. The script and the history of its runs are kept',
          '其在 triggers.toml 中的条目和触发记录将被删除；脚本及其运行记录会保留',
        ) +
        (kind === 'webhook'
          ? say(', and so is the stored secret.', '，已保存的密钥也会保留。')
          : say('.', '。'))
      }
      action={say('Delete', '删除')}
      onConfirm={() => remove.mutate()}
      onClose={() => setAsking(false)}
    />
  );
  return { ask: () => setAsking(true), dialog };
}
