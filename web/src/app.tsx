import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';

import { RefusedError, UnreachableError } from './api/call-service.ts';
import { LiveProvider } from './api/live-events.tsx';
import { LanguageProvider } from './language/language.tsx';
import { lazyPart } from './parts/lazy-part.ts';
import { Loading } from './parts/loading.tsx';
import { ToastProvider } from './parts/toasts.tsx';
import { ScriptsPage } from './scripts/scripts-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { PageBoundary } from './shell/page-boundary.tsx';
import { Shell } from './shell/shell.tsx';

// The scripts page is part of the main bundle. All other pages are loaded on demand.
const ScriptPage = lazyPart(async () => (await import('./script/script-page.tsx')).ScriptPage);
const RunsPage = lazyPart(async () => (await import('./runs/runs-page.tsx')).RunsPage);
const RunPage = lazyPart(async () => (await import('./run/run-page.tsx')).RunPage);
const OverviewPage = lazyPart(async () => (await import('./overview/overview-page.tsx')).OverviewPage);
const ModelsPage = lazyPart(async () => (await import('./models/models-page.tsx')).ModelsPage);
const NotificationsPage = lazyPart(
  async () => (await import('./notifications/notifications-page.tsx')).NotificationsPage,
);
const HealthPage = lazyPart(async () => (await import('./health/health-page.tsx')).HealthPage);
const InterfacePage = lazyPart(async () => (await import('./interface/interface-page.tsx')).InterfacePage);

export function App() {
  const [client] = useState(makeClient);
  return (
    <QueryClientProvider client={client}>
      <LanguageProvider>
        <ToastProvider>
          <LiveProvider>
            <Shell>
              <Bounded>
                <Switch>
                  <Route path="/" component={ScriptsPage} />
                  <Route path="/scripts/:id">{({ id }) => <ScriptPage key={id} id={id} />}</Route>
                  <Route path="/runs" component={RunsPage} />
                  <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
                  <Route path="/overview" component={OverviewPage} />
                  <Route path="/models" component={ModelsPage} />
                  <Route path="/notifications" component={NotificationsPage} />
                  <Route path="/settings" component={HealthPage} />
                  <Route path="/docs" component={InterfacePage} />
                  <Route component={NotFoundPage} />
                </Switch>
              </Bounded>
            </Shell>
          </LiveProvider>
        </ToastProvider>
      </LanguageProvider>
    </QueryClientProvider>
  );
}

function Bounded({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  return (
    <PageBoundary key={path}>
      <Suspense fallback={<Loading />}>{children}</Suspense>
    </PageBoundary>
  );
}

function isLate(error: Error): boolean {
  return error instanceof UnreachableError && error.isLate;
}

function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The service runs on this machine or nearby, so it is reachable without internet access.
        networkMode: 'always',
        // Events invalidate queries, so short polling is not needed.
        staleTime: 60_000,
        // Retry only if the service may be restarting. An error response stays the same, and a timeout means that the service hangs.
        retry: (count, error) => !(error instanceof RefusedError) && !isLate(error) && count < 3,
        retryDelay: 500,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
