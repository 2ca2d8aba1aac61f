import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const hob = fileURLToPath(new URL('../bin/hob.js', import.meta.url));
/** A command that sends a small request to the service. */
const askingCommand = 'list';
const rounds = 30;
const warmUp = 3;

/** Measures how long a command takes, and how much of that is Node itself. */
export async function measure({ quick }) {
  const home = mkdtempSync(join(tmpdir(), 'hob-bench-cli-'));
  const service = await startService(home, '');
  try {
    const programs = {
      'node -e 0': { args: ['-e', '0'] },
      'hob --version': { args: [hob, '--version'], mostMs: 150 },
      [`hob ${askingCommand}`]: { args: [hob, askingCommand, '--home', home], mostMs: 250 },
    };
    const samples = Object.fromEntries(Object.keys(programs).map((name) => [name, new Samples()]));
    for (let round = 0; round < warmUp + (quick ? 3 : rounds); round++) {
      // Alternate, so that disturbances of the machine affect all of them.
      for (const [name, { args }] of Object.entries(programs)) {
        const took = timed(args);
        if (round >= warmUp) samples[name].add(took);
      }
    }
    const bare = samples['node -e 0'].at(0.5);
    const over = (name) => samples[name].at(0.5) - bare;
    const bounded = Object.entries(programs).filter(([, { mostMs }]) => mostMs !== undefined);
    return {
      tables: [
        {
          title: 'From the start of the process to its end, in milliseconds',
          columns: ['command', 'p50', 'p90', 'p50, more than Node alone'],
          rows: Object.keys(programs).map((name) => [
            `\`${name}\``,
            ...[0.5, 0.9].map((part) => rounded(samples[name].at(part))),
            rounded(over(name)),
          ]),
        },
      ],
      claims: bounded.map(([name, { mostMs }]) => ({
        what: `${name}: p50, more than Node alone, ms`,
        bound: { atMost: mostMs },
        measured: rounded(over(name)),
        isMet: over(name) <= mostMs,
      })),
    };
  } finally {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

function timed(args) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}
