import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fillModels } from './support/fill-models.mjs';
import { rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** It needs no history, so its size is not told. */
export const usesHistory = false;

const models = 40;
const asked = 5000;
const warmUp = 500;

/** Asks a service where models lie, of which there are some dozens in each of the places where it looks. */
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
      hf: 'the cache of Hugging Face',
      ms: 'the cache of ModelScope',
    };
    for (const [owner, place] of Object.entries(places))
      await time(`a model in ${place}`, (at) => `/api/model/path?repo_id=${owner}/model-${at}`);
    await time('the health of the service, to compare', () => '/api/health');
    return [
      {
        title: `\`GET /api/model/path\`, ${asked.toLocaleString('en')} times one after the other: milliseconds`,
        columns: ['asked for', 'median', '1 in 100', 'longest'],
        rows,
      },
    ];
  } finally {
    caller.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
