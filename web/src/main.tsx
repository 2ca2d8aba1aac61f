import './styles.css';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode, StrictMode, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Switch, useLocation } from 'wouter';

import { isLate, isRefused } from './api/hob.ts';
import { LiveProvider, useLive } from './api/live-events.tsx';
import { LanguageProvider, useSay } from './language/language.tsx';
import { Failure } from './parts/failure.tsx';
import { lazyPart, NotLoadedError } from './parts/lazy-part.ts';
import { Loading } from './parts/loading.tsx';
import { ToastProvider } from './parts/toasts.tsx';
import { ScriptsPage } from './scripts/scripts-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { Shell } from './shell/shell.tsx';

// The scripts page is part of the main bundle. All other pages are loaded on demand.
const ScriptPage = lazyPart(async () => (await import('./script/script-page.tsx')).ScriptPage);
const RunsPage = lazyPart(async () => (await import('./runs/runs-page.tsx')).RunsPage);
const RunPage = lazyPart(async () => (await import('./run/run-page.tsx')).RunPage);
const TriggersPage = lazyPart(async () => (await import('./triggers/pages.ts')).TriggersPage);
const TriggerPage = lazyPart(async () => (await import('./triggers/pages.ts')).TriggerPage);
const EditTriggerPage = lazyPart(async () => (await import('./triggers/pages.ts')).EditTriggerPage);
const NewTriggerPage = lazyPart(async () => (await import('./triggers/pages.ts')).NewTriggerPage);
const AgentsPage = lazyPart(async () => (await import('./agents/agents-page.tsx')).AgentsPage);
const OverviewPage = lazyPart(async () => (await import('./overview/overview-page.tsx')).OverviewPage);
const ModelsPage = lazyPart(async () => (await import('./models/models-page.tsx')).ModelsPage);
const NotificationsPage = lazyPart(
  async () => (await import('./notifications/notifications-page.tsx')).NotificationsPage,
);
const HealthPage = lazyPart(async () => (await import('./health/health-page.tsx')).HealthPage);
const InterfacePage = lazyPart(async () => (await import('./interface/interface-page.tsx')).InterfacePage);

function App() {
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
                  <Route path="/triggers" component={TriggersPage} />
                  <Route path="/triggers/:id">{({ id }) => <TriggerPage key={id} id={id} />}</Route>
                  <Route path="/triggers/:id/edit">{({ id }) => <EditTriggerPage key={id} id={id} />}</Route>
                  <Route path="/triggers/new/:kind">
                    {({ kind }) => <NewTriggerPage key={kind} kind={kind} />}
                  </Route>
                  <Route path="/agents" component={AgentsPage} />
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

function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The service runs on this machine or nearby, so it is reachable without internet access.
        networkMode: 'always',
        // Events invalidate queries, so short polling is not needed.
        staleTime: 60_000,
        // Retry only if the service may be restarting. An error response stays the same, and a timeout means that the service hangs.
        retry: (count, error) => !isRefused(error) && !isLate(error) && count < 3,
        retryDelay: 500,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always' },
    },
  });
}

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly failed: { readonly error: unknown } | null;
}

/** Catches errors of a page, so that the navigation stays usable. Key it by the path to reset it. */
class PageBoundary extends Component<Props, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error } };
  }

  override render() {
    if (this.state.failed === null) return this.props.children;
    const { error } = this.state.failed;
    return error instanceof NotLoadedError && mayReload() ? <LoadAgain /> : <NotShown error={error} />;
  }
}

/** Reloads the page once the service is connected: browsers cache failed imports, and after an update the files have new names. */
function LoadAgain() {
  const { connection } = useLive();
  useEffect(() => {
    if (connection !== 'connected') return;
    sessionStorage.setItem(reloadedAt, String(Date.now()));
    location.reload();
  }, [connection]);
  return <Loading />;
}

function NotShown({ error }: { error: unknown }) {
  const say = useSay();
  return (
    <div className="flex flex-col gap-3">
      <p className="text-base font-medium">{say('This page could not be displayed', '此页面无法显示')}</p>
      <Failure error={error} onRetry={() => location.reload()} />
    </div>
  );
}

const reloadedAt = 'hob.reloaded-at';

const notAgainWithinMs = 10_000;

/** Prevents an endless loop of reloads if a file is still missing afterwards. */
function mayReload(): boolean {
  try {
    return Date.now() - Number(sessionStorage.getItem(reloadedAt)) > notAgainWithinMs;
  } catch {
    return false;
  }
}

const place = document.getElementById('root');
if (place === null) throw new Error('the page has no #root');
createRoot(place, {
  onCaughtError(error) {
    // PageBoundary handles this error.
    if (!(error instanceof NotLoadedError)) reportError(error);
  },
}).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
