import { describe, expect, it } from 'vitest';

import { AppError } from '../../shared/errors.ts';
import { BareCallers } from './bare-callers.ts';
import type { TracedCaller } from './trace-caller.ts';

const connection = { clientAddress: '127.0.0.1', clientPort: 1, serverAddress: '127.0.0.1', serverPort: 2 };
const runId = '0b6f2b0e-5d0a-4c53-9a3e-6a2f5a1f7c01';

function callers(traced: TracedCaller, maxRuns = 3): BareCallers {
  const record = { runId, depth: 4 };
  return new BareCallers({
    store: { find: (id) => (id === runId ? record : null) },
    livePids: () => new Map(),
    maxRuns,
    trace: async () => traced,
  });
}

async function codeOf(caller: Promise<unknown>): Promise<string | null> {
  return caller.then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
}

describe('a caller without a run token', () => {
  it('is identified as the run that it was traced to, with the depth on record', async () => {
    const caller = await callers({ kind: 'run', runId }).identify(connection, new AbortController().signal);
    expect(caller).toEqual({ runId, depth: 4 });
  });

  it('counts as outside if its run is not on record or the trace says outside', async () => {
    const { signal } = new AbortController();
    const stranger = callers({ kind: 'run', runId: runId.replace('0b', '0c') });
    expect(await stranger.identify(connection, signal)).toBeNull();
    expect(await callers({ kind: 'outside' }).identify(connection, signal)).toBeNull();
  });

  it.each([1, 2, 3, 9])(
    'takes one of max_runs - 1 places if it cannot be traced, but there is at least one: %i',
    async (maxRuns) => {
      const bare = callers({ kind: 'unknown' }, maxRuns);
      const answers = Array.from({ length: Math.max(1, maxRuns - 1) }, () => new AbortController());
      for (const { signal } of answers) expect(await bare.identify(connection, signal)).toBeNull();
      const late = new AbortController();
      expect(await codeOf(bare.identify(connection, late.signal))).toBe('untraced-links-full');
      answers[0]?.abort();
      expect(await codeOf(bare.identify(connection, late.signal))).toBeNull();
      expect(await codeOf(bare.identify(null, new AbortController().signal))).toBe('untraced-links-full');
    },
  );

  it('takes no place if it has disconnected', async () => {
    const bare = callers({ kind: 'unknown' }, 1);
    expect(await bare.identify(null, AbortSignal.abort())).toBeNull();
    expect(await bare.identify(connection, new AbortController().signal)).toBeNull();
  });

  it('takes no place if it was traced', async () => {
    const bare = callers({ kind: 'outside' }, 1);
    const { signal } = new AbortController();
    for (let count = 0; count < 5; count++) expect(await bare.identify(connection, signal)).toBeNull();
  });
});
