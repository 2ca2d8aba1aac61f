import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Route, Switch } from 'wouter';

import { RefusedError } from './api/call-service.ts';
import { LiveProvider } from './api/live-events.tsx';
import { LanguageProvider } from './language/language.tsx';
import { Loading } from './parts/loading.tsx';
import { ToastProvider } from './parts/toasts.tsx';
import { ScriptsPage } from './scripts/scripts-page.tsx';
import { NothingHere } from './shell/nothing-here.tsx';
import { Shell } from './shell/shell.tsx';

// The first page comes with the first file; each of the others comes when it is asked for.
const ScriptPage = lazy(async () => ({ default: (await import('./script/script-page.tsx')).ScriptPage }));
const RunsPage = lazy(async () => ({ default: (await import('./runs/runs-page.tsx')).RunsPage }));
const RunPage = lazy(async () => ({ default: (await import('./run/run-page.tsx')).RunPage }));
const OverviewPage = lazy(async () => ({
  default: (await import('./overview/overview-page.tsx')).OverviewPage,
}));
const ModelsPage = lazy(async () => ({ default: (await import('./models/models-page.tsx')).ModelsPage }));
const NotificationsPage = lazy(async () => ({
  default: (await import('./notifications/notifications-page.tsx')).NotificationsPage,
}));
const HealthPage = lazy(async () => ({ default: (await import('./health/health-page.tsx')).HealthPage }));
const InterfacePage = lazy(async () => ({
  default: (await import('./interface/interface-page.tsx')).InterfacePage,
}));

export function App() {
  const [client] = useState(makeClient);
  return (
    <QueryClientProvider client={client}>
      <LanguageProvider>
        <ToastProvider>
          <LiveProvider>
            <Shell>
              <Suspense fallback={<Loading />}>
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
                  <Route component={NothingHere} />
                </Switch>
              </Suspense>
            </Shell>
          </LiveProvider>
        </ToastProvider>
      </LanguageProvider>
    </QueryClientProvider>
  );
}

function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The service is on this machine, or near: that there is no internet says nothing about it.
        networkMode: 'always',
        // Events say when an answer is out of date.
        staleTime: 60_000,
        // A refusal will be the same the next time; a service that is being started anew will be back.
        retry: (count, error) => !(error instanceof RefusedError) && count < 3,
        retryDelay: 500,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
