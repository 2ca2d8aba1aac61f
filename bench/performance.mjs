import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

import { measureAccept } from './performance/accept.mjs';
import { judge } from './performance/claims.mjs';
import { compareProgram, comparisonFigures, comparisonTables } from './performance/compare.mjs';
import { settleDisk } from './performance/disk.mjs';
import { buildFloor } from './performance/floor.mjs';
import { measureLinks } from './performance/links.mjs';
import { Load } from './performance/load.mjs';
import { measureOutput } from './performance/output.mjs';
import { missingModules, programsFor } from './performance/programs.mjs';
import { measureHistory, measureModels } from './performance/requests.mjs';
import { findInterpreters } from './performance/scene.mjs';
import { measureMemory, measureStarts } from './performance/sizes.mjs';
import { measureSteps } from './performance/steps.mjs';
import { Stolen } from './performance/stolen.mjs';
import { disturbances } from './performance/undisturbed.mjs';
import { longestOf } from './performance/watch.mjs';
import { findWebhook } from './performance/webhook.mjs';
import { rounded } from './support/samples.mjs';

/** The scenario has its own file of results, and its own history of fixed size. */
export const store = 'performance';
export const usesHistory = false;

const whole = {
  rounds: 5,
  settleMs: 10_000,
  roundMs: 2000,
  warmUpMs: 400,
  personCalls: 40,
  chains: 120,
  requests: 5000,
  accepted: 2000,
  starts: 5,
  manyRuns: 10_000,
  restMs: 30_000,
  share: 1,
};
/** Small values for a quick check; the figures mean nothing. */
const few = {
  rounds: 2,
  settleMs: 300,
  roundMs: 300,
  warmUpMs: 100,
  personCalls: 3,
  chains: 8,
  requests: 200,
  accepted: 200,
  starts: 1,
  manyRuns: 200,
  restMs: 1000,
  share: 0.05,
};

const programs = programsFor();
const programNames = Object.keys(programs);
const groups = {
  links: measureLinks,
  models: measureModels,
  accept: measureAccept,
  output: measureOutput,
  history: measureHistory,
  starts: measureStarts,
  steps: measureSteps,
  memory: measureMemory,
};

/** Values of `--only`. */
export const parts = [...programNames, ...Object.keys(groups)];

/** Compares Hob with webhook and with the system itself, and measures features that only Hob has. */
export async function measure({ homes, quick, only, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'hob-bench-performance-'));
  const load = new Load();
  const load1 = loadavg()[0];
  const stolen = new Stolen();
  try {
    const webhookVersion = findWebhook(say);
    const interpreters = await findInterpreters(folder);
    const scene = {
      folder,
      homes,
      load,
      say,
      interpreters,
      hasWebhook: webhookVersion !== null,
      floor: buildFloor(folder, say),
      extent: quick ? few : whole,
    };
    const fileMs = [await settleDisk(folder, { isQuick: quick, say })];
    const compared = [];
    const failed = [];
    const attempt = async (name, measureIt) => {
      if (!only.includes(name)) return;
      fileMs.push(await settleDisk(mkdtempSync(join(folder, 'disk-')), { isQuick: quick, say }));
      try {
        await measureIt();
      } catch (error) {
        say(`${name} failed: ${error.stack}`);
        failed.push(name);
      }
    };
    for (const name of programNames)
      await attempt(name, async () => {
        const missing = missingModules(programs[name]);
        if (missing.length > 0) {
          say(`${name} is not measured: ${programs[name].interpreter} has no ${missing.join(', ')}`);
          return;
        }
        compared.push(...(await compareProgram(name, programs[name], scene)));
      });
    // Read before other cases, whose responses have another size.
    const clientCpuMs = load.cpuMsPerCall;
    const tables = compared.length === 0 ? [] : comparisonTables(compared);
    const figures = comparisonFigures(compared);
    const blocked = compared.map(({ blockedMs }) => blockedMs);
    for (const [name, measureGroup] of Object.entries(groups))
      await attempt(name, async () => {
        const seen = await measureGroup(scene);
        tables.push(...seen.tables);
        Object.assign(figures, seen.figures);
        blocked.push(seen.blockedMs);
      });
    const blockedMs = longestOf(blocked);
    if (blockedMs !== null) figures.blocked = blockedMs;
    return {
      failed,
      tables,
      claims: judge(figures),
      scene: {
        command: 'npm run bench -- performance',
        python: versionOf(interpreters.python),
        sh: interpreters.sh,
        webhook: webhookVersion,
        load_before: rounded(load1),
        stolen_percent: rounded(stolen.percent),
        turns: disturbances.turns,
        turns_again: disturbances.again,
        turns_left_out: disturbances.leftOut,
        file_ms: rounded(Math.max(...fileMs)),
        client_cpu_ms: rounded(clientCpuMs),
      },
    };
  } finally {
    load.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function versionOf(python) {
  return spawnSync(python, ['-V'], { encoding: 'utf8' }).stdout.trim().split(' ').at(-1);
}
