import { Unplug } from 'lucide-react';

import { useLive } from '../api/live-events.tsx';
import { useSay } from '../language/language.tsx';

/** Warns while the service is unreachable, because the page may be out of date. */
export function ConnectionBanner() {
  const say = useSay();
  const { connection } = useLive();
  return (
    <div role="status" className="sticky top-0 z-40">
      {connection === 'lost' && (
        <p className="flex items-center justify-center gap-2 bg-warn-ground px-4 py-2 text-warn">
          <Unplug size={16} aria-hidden className="shrink-0" />
          {say(
            'Hob is not responding. Reconnecting… Running scripts continue. If Hob was stopped, start it in a terminal: hob serve',
            'Hob 没有响应，正在重新连接；已在运行的脚本会继续。如果服务已停止，请运行：hob serve',
          )}
        </p>
      )}
    </div>
  );
}
