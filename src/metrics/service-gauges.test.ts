import { expect, it } from 'vitest';

import { parseExposition } from '../../test/support/exposition.ts';
import type { WarmState } from '../runs/run-record.ts';
import { createLogger } from '../shared/log.ts';
import { Metrics } from './metrics.ts';
import { addWarmMetrics } from './service-gauges.ts';

const kind = { language: 'python', file: '/usr/bin/python3', preload: [], isForked: true } as const;
const counted: WarmState = {
  hits: 12,
  misses: 3,
  memoryBytes: 30_000_000,
  isShortOfMemory: false,
  kinds: [
    { ...kind, waiting: 1, memoryBytes: 10_000_000 },
    { ...kind, preload: ['numpy'], waiting: 2, memoryBytes: 20_000_000 },
  ],
};

it('shows the warm interpreters that the executor reports, and zeros before the first report', async () => {
  const metrics = new Metrics({ version: '1.2.3', log: await createLogger('silent') });
  let state: WarmState | null = null;
  addWarmMetrics(metrics, { limits: { memoryBytes: 256_000_000, idleMs: 1 }, state: () => state });
  const read = async () => {
    const text = parseExposition(await metrics.write());
    return {
      hits: text.value('hob_warm_hits_total'),
      misses: text.value('hob_warm_misses_total'),
      python: text.value('hob_warm_interpreters', { language: 'python' }),
      node: text.value('hob_warm_interpreters', { language: 'node.js' }),
      memory: text.value('hob_warm_memory_bytes'),
      limit: text.value('hob_warm_memory_limit_bytes'),
    };
  };
  const nothing = { hits: 0, misses: 0, python: 0, node: 0, memory: 0, limit: 256_000_000 };
  expect(await read()).toEqual(nothing);
  state = counted;
  const all = { hits: 12, misses: 3, python: 3, node: 0, memory: 30_000_000, limit: 256_000_000 };
  expect(await read()).toEqual(all);
  // A second read counts nothing twice.
  expect(await read()).toEqual(all);
  // A new executor starts from zero.
  state = null;
  expect(await read()).toEqual(nothing);
});
