import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { findProgram } from './needs.ts';

interface WalkedCase {
  readonly cron: string;
  readonly zone: string;
  /** The first minute, and the one after the last, counted since 1970. */
  readonly from: number;
  readonly to: number;
}

const walker = fileURLToPath(new URL('cron-walker.py', import.meta.url));

/** The slots of each case by an independent calculation; null for a zone that Python lacks, or if there is no Python. */
export function walkCron(cases: readonly WalkedCase[]): (number[] | null)[] | null {
  const python = findProgram('python3');
  if (python === null) return null;
  const { status, stdout, stderr } = spawnSync(python, [walker], {
    input: JSON.stringify({ cases }),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`the walk failed: ${stderr}`);
  return JSON.parse(stdout);
}
