import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fillModels } from './support/fill-models.mjs';
import { rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const models = 40;
const asked = 5000;
const warmUp = 500;

/** Requests the paths of models from a service with some dozens of models in each place. */
export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'hob-bench-models-'));
  const home = join(folder, 'home');
  Object.assign(process.env, fillModels(folder, home, models));
  const service = await startService(home, '');
  const caller = service.caller();
  try {
    const rows = [];
    const time = async (what, pathOf) => {
      const samples = new Samples();
      for (let at = 0; at < warmUp + asked; at++) {
        const took = await caller.timed(pathOf(at % models));
        if (at >= warmUp) samples.add(took);
      }
      rows.push([what, ...[0.5, 0.99, 1].map((part) => rounded(samples.at(part)))]);
    };
    const places = {
      own: "Hob's own folder",
      hf: 'the Hugging Face cache',
      ms: 'the ModelScope cache',
    };
    for (const [owner, place] of Object.entries(places))
      await time(`a model in ${place}`, (at) => `/api/model/path?repo_id=${owner}/model-${at}`);
    await time('the health of the service, for comparison', () => '/api/health');
    return [
      {
        title: `\`GET /api/model/path\`, ${asked.toLocaleString('en')} times one after the other, in milliseconds`,
        columns: ['request', 'p50', 'p99', 'longest'],
        rows,
      },
    ];
  } finally {
    caller.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
