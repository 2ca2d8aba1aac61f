import { Component, type ReactNode, useEffect } from 'react';

import { useLive } from '../api/live-events.tsx';
import { useSay } from '../language/language.tsx';
import { Failure } from '../parts/failure.tsx';
import { NotLoadedError } from '../parts/lazy-part.ts';
import { Loading } from '../parts/loading.tsx';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly failed: { readonly error: unknown } | null;
}

/** Catches errors of a page, so that the navigation stays usable. Key it by the path to reset it. */
export class PageBoundary extends Component<Props, State> {
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
