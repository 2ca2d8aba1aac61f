import { Suspense } from 'react';

import { lazyPart } from '../parts/lazy-part.ts';
import { Loading } from '../parts/loading.tsx';

// What draws it is larger than the rest of the console, and most runs are looked at without.
const TerminalScreen = lazyPart(async () => (await import('./terminal-screen.tsx')).TerminalScreen);

interface TerminalViewProps {
  readonly runId: string;
  /** Whether the run has not ended: only then it can be typed into. */
  readonly isLive: boolean;
}

/** The terminal of a run: what it has written, and where one types what it asks for. */
export function TerminalView({ runId, isLive }: TerminalViewProps) {
  return (
    <Suspense fallback={<Loading />}>
      <TerminalScreen key={runId} runId={runId} isLive={isLive} />
    </Suspense>
  );
}
