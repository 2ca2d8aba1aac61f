import type { ReactNode } from 'react';

import { TokenDialog } from '../access/token-dialog.tsx';
import { TokenPage } from '../access/token-page.tsx';
import { useLive } from '../api/live-events.tsx';
import { useSay } from '../language/language.tsx';
import { NotificationToasts } from '../notifications/notification-toasts.tsx';
import { OperationsProvider } from '../packages/operations.tsx';
import { Palette } from '../palette/palette.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { BottomBar, SideBar } from './navigation.tsx';
import { usePageFocus } from './use-page-focus.ts';

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
