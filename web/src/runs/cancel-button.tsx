import { CircleStop } from 'lucide-react';
import { useState } from 'react';

import { hob } from '../api/hob.ts';
import type { BriefRun } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { IconButton } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { messageOf } from '../parts/failure.tsx';
import { useToast } from '../parts/toasts.tsx';

/** Cancels a run. Asks for confirmation if the run has started, because its effects are not undone. */
export function CancelButton({ run }: { run: Pick<BriefRun, 'run_id' | 'script_name' | 'state'> }) {
  const say = useSay();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const cancel = async () => {
    setStopping(true);
    try {
      await hob.request('POST', `/api/runs/${run.run_id}/cancel`);
    } catch (error) {
      setStopping(false);
      toast({
        kind: 'error',
        title: say('Could not cancel the run', '无法停止'),
        message: messageOf(error, say),
      });
    }
  };
  return (
    <>
      <IconButton
        label={say(`Cancel run: ${run.script_name}`, `停止：${run.script_name}`)}
        className="size-7 hover:text-bad"
        disabled={isStopping}
        onClick={() => (run.state === 'queued' ? void cancel() : setAsking(true))}
      >
        <CircleStop size={16} aria-hidden className={isStopping ? 'animate-pulse' : ''} />
      </IconButton>
      <Confirm
        isOpen={isAsking}
        title={say(`Cancel this run of “${run.script_name}”?`, `停止运行“${run.script_name}”？`)}
        description={say(
          'Hob stops the script and every process that it started. Changes that the script has already made are not undone.',
          '脚本及其启动的所有进程将立即停止，已完成的操作不会撤销。',
        )}
        action={say('Cancel run', '停止')}
        dismiss={say('Keep running', '取消')}
        onConfirm={() => void cancel()}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
