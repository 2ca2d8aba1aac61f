import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

import { expect, it, onTestFinished } from 'vitest';

import { has } from '../../../test/support/needs.ts';
import { until } from '../../../test/support/until.ts';
import { countRunnable } from './warm-pool.ts';

const canTell = has('/proc/loadavg', existsSync('/proc/loadavg'));

it.skipIf(!canTell)('counts processes that compute, and not those that wait', async () => {
  // Started first, because processes that compute delay the start of others.
  const waiting = Array.from({ length: 100 }, () => spawn('/bin/sh', ['-c', 'exec sleep 60']));
  const computing = Array.from({ length: 12 }, () => spawn('/bin/sh', ['-c', 'while :; do :; done']));
  onTestFinished(() => {
    for (const child of [...computing, ...waiting]) child.kill('SIGKILL');
  });
  await until('they are counted', async () => (countRunnable() ?? 0) >= computing.length);
  expect(countRunnable()).toBeLessThan(waiting.length);
});
