import { Unplug } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

import { TokenDialog } from '../access/token-dialog.tsx';
import { TokenPage } from '../access/token-page.tsx';
import { useLive } from '../api/live-events.tsx';
import { useSay } from '../language/language.tsx';
import { NotificationToasts } from '../notifications/notification-toasts.tsx';
import { OperationsProvider } from '../packages/operations.tsx';
import { Palette } from '../palette/palette.tsx';
import { focusMain } from '../parts/use-return-focus.ts';
import { BottomBar, SideBar } from './navigation.tsx';

/** The frame around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const say = useSay();
  const { connection, wasConnected } = useLive();
  usePageFocus();
  if (connection === 'locked' && !wasConnected) return <TokenPage />;
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="sr-only rounded-lg bg-raised px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
      >
        {say('Skip to content', '跳到正文')}
      </a>
      <SideBar />
      <div className="flex min-w-0 grow flex-col pb-16 md:pb-0">
        <ConnectionBanner />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-6xl grow px-4 py-5 outline-none md:px-8 md:py-7"
        >
          <OperationsProvider>{children}</OperationsProvider>
        </main>
      </div>
      <BottomBar />
      <Palette />
      <NotificationToasts />
      <TokenDialog isOpen={connection === 'locked'} />
    </div>
  );
}

/** Moves the focus to the new page after navigation, because the link that had the focus is gone. */
function usePageFocus(): void {
  const [path] = useLocation();
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    // The page may have set the focus itself.
    if (document.getElementById('main')?.contains(document.activeElement) !== true) focusMain();
  }, [path]);
}

/** Warns while the service is unreachable, because the page may be out of date. */
function ConnectionBanner() {
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
