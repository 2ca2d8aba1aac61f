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

/** A page that cannot be shown takes only its own place, and the way to the others stays. To be keyed by the address. */
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

/** The browser need not try a file again that it could not load, and after an update there is another: the page begins anew. */
function LoadAgain() {
  const { reach } = useLive();
  useEffect(() => {
    if (reach !== 'connected') return;
    sessionStorage.setItem(reloadedAt, String(Date.now()));
    location.reload();
  }, [reach]);
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

/** A file that is missing after that, too, would have the page begin anew without end. */
function mayReload(): boolean {
  try {
    return Date.now() - Number(sessionStorage.getItem(reloadedAt)) > notAgainWithinMs;
  } catch {
    return false;
  }
}
