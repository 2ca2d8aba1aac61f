import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ratio, rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const hob = fileURLToPath(new URL('../bin/hob.js', import.meta.url));
/** A command that sends a small request to the service. */
const askingCommand = 'list';
/** Scripts call these often, so their limit is a multiple of Node alone. */
const mostOfNode = 1.3;
const rounds = 30;
const warmUp = 3;

/** Measures how long a command takes, and how much of that is Node itself. */
export async function measure({ quick }) {
  const home = mkdtempSync(join(tmpdir(), 'hob-bench-cli-'));
  const service = await startService(home, '');
  try {
    const inRun = {
      env: { ...process.env, HOB_PARAMETER_FILE: writeRun(join(home, 'run')) },
      most: mostOfNode,
    };
    const programs = {
      'node -e 0': { args: ['-e', '0'] },
      'hob --version': { args: [hob, '--version'], mostMs: 150 },
      [`hob ${askingCommand}`]: { args: [hob, askingCommand, '--home', home], mostMs: 250 },
      'hob param': { args: [hob, 'param', 'quality'], ...inRun },
      'hob input': { args: [hob, 'input', '--all'], ...inRun },
      'hob envelope': { args: [hob, 'envelope', 'ok', 'count:=2'], ...inRun },
    };
    const samples = Object.fromEntries(Object.keys(programs).map((name) => [name, new Samples()]));
    for (let round = 0; round < warmUp + (quick ? 3 : rounds); round++) {
      // Alternate, so that disturbances of the machine affect all of them.
      for (const [name, { args, env }] of Object.entries(programs)) {
        const took = timed(args, env);
        if (round >= warmUp) samples[name].add(took);
      }
    }
    const bare = samples['node -e 0'].at(0.5);
    const over = (name) => samples[name].at(0.5) - bare;
    const times = (name) => samples[name].at(0.5) / bare;
    const bounded = Object.entries(programs).filter(([, { mostMs }]) => mostMs !== undefined);
    const inScripts = Object.entries(programs).filter(([, { most }]) => most !== undefined);
    return {
      tables: [
        {
          title: 'From the start of the process to its end, in milliseconds',
          columns: ['command', 'p50', 'p90', 'p50, more than Node alone', 'p50, relative to Node alone'],
          rows: Object.keys(programs).map((name) => [
            `\`${name}\``,
            ...[0.5, 0.9].map((part) => rounded(samples[name].at(part))),
            rounded(over(name)),
            ratio(samples[name].at(0.5), bare),
          ]),
        },
      ],
      claims: [
        ...bounded.map(([name, { mostMs }]) => ({
          what: `${name}: p50, more than Node alone, ms`,
          bound: { atMost: mostMs },
          measured: rounded(over(name)),
          isMet: over(name) <= mostMs,
        })),
        ...inScripts.map(([name, { most }]) => ({
          what: `${name}, inside a script: p50, relative to Node alone`,
          bound: { atMost: most },
          measured: rounded(times(name)),
          isMet: times(name) <= most,
        })),
      ],
    };
  } finally {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Writes what Hob gives to a run into a folder, and returns the path of the parameter file. */
function writeRun(folder) {
  mkdirSync(folder);
  const file = join(folder, 'params.json');
  // The commands of the rows send no request to this address.
  const environment = { api_base: 'http://127.0.0.1:9/r/none', output_json: join(folder, 'result.json') };
  writeFileSync(
    file,
    JSON.stringify({ environment, data: { images: ['a.png', 'b.png'] }, params: { quality: 85 } }),
  );
  return file;
}

function timed(args, env = process.env) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}
