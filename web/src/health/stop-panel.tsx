import { useMutation, useQuery } from '@tanstack/react-query';
import { LogOut, Power } from 'lucide-react';
import { useState } from 'react';

import { callService } from '../api/call-service.ts';
import { settingsQuery } from '../api/queries.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { messageOf } from '../parts/failure.tsx';
import { Panel } from '../parts/panel.tsx';
import { useToast } from '../parts/toasts.tsx';
import { CopyableText } from './about-hob.tsx';

/** Stops the service, and signs out if a token is required. */
export function StopPanel() {
  const say = useSay();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const { data: settings } = useQuery(settingsQuery);
  const asksForToken = settings?.items.some(({ name, value }) => name === 'token' && value === true) === true;
  const onError = (error: unknown) => toast({ kind: 'error', title: messageOf(error) });
  const stop = useMutation({
    mutationFn: () => callService('/api/stop', { method: 'POST', body: {} }),
    onError,
  });
  const signOut = useMutation({
    mutationFn: () => callService('/api/session', { method: 'DELETE' }),
    onSuccess: () => location.reload(),
    onError,
  });
  return (
    <Panel
      title={say('Stop', '停止')}
      className="lg:col-span-2"
      note={
        <output>
          {stop.isSuccess
            ? say(
                'Hob is stopping. To start it again, run this in a terminal:',
                'Hob 正在停止。在终端中运行以下命令可重新启动：',
              )
            : say(
                'Running scripts continue when Hob stops. This page cannot start Hob again. Run this in a terminal:',
                '正在运行的脚本不受影响。此页面无法重新启动 Hob，请在终端中运行：',
              )}
        </output>
      }
    >
      <CopyableText text="hob serve" />
      <div className="mt-3 flex flex-wrap gap-2">
        <Button look="danger" disabled={stop.isPending || stop.isSuccess} onClick={() => setAsking(true)}>
          <Power size={16} aria-hidden />
          {say('Stop Hob', '停止 Hob')}
        </Button>
        {asksForToken && (
          <Button disabled={signOut.isPending} onClick={() => signOut.mutate()}>
            <LogOut size={16} aria-hidden />
            {say('Sign out', '退出登录')}
          </Button>
        )}
      </div>
      <Confirm
        isOpen={isAsking}
        title={say('Stop Hob?', '停止 Hob？')}
        description={say(
          'You cannot run scripts until you start Hob again in a terminal: hob serve',
          '在终端中运行 hob serve 重新启动之前，无法再用它启动脚本。',
        )}
        action={say('Stop Hob', '停止 Hob')}
        onConfirm={() => stop.mutate()}
        onClose={() => setAsking(false)}
      />
    </Panel>
  );
}
