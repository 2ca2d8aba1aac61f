import { Suspense } from 'react';

import { lazyPart } from '../parts/lazy-part.ts';
import { Loading } from '../parts/loading.tsx';

// Loaded on demand: xterm.js is larger than the rest of the console, and most runs have no terminal.
const TerminalScreen = lazyPart(async () => (await import('./terminal-screen.tsx')).TerminalScreen);

interface TerminalViewProps {
  readonly runId: string;
  /** Whether the run is active; only then it takes input. */
  readonly isLive: boolean;
}

/** The terminal of a run. */
export function TerminalView({ runId, isLive }: TerminalViewProps) {
  return (
    <Suspense fallback={<Loading />}>
      <TerminalScreen key={runId} runId={runId} isLive={isLive} />
    </Suspense>
  );
}
