import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** It needs no history, so its size is not told. */
export const usesHistory = false;

const models = 40;
const filesEach = 25;
const asked = 5000;
const warmUp = 500;
const commit = '0123456789abcdef0123456789abcdef01234567';

/** Asks a service where models lie, of which there are some dozens in each of the places where it looks. */
export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'hob-bench-models-'));
  const [home, hub, scope] = ['home', 'hub', 'scope'].map((name) => join(folder, name));
  for (let at = 0; at < models; at++) {
    fill(join(home, 'models', 'own', `model-${at}`));
    fillHuggingFace(join(hub, `models--hf--model-${at}`));
    fill(join(scope, 'models', 'ms', `model-${at}`));
  }
  Object.assign(process.env, { HF_HUB_CACHE: hub, MODELSCOPE_CACHE: scope });
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

function fill(folder) {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < filesEach; at++) writeFileSync(join(folder, `file-${at}.bin`), 'x');
}

function fillHuggingFace(repo) {
  const snapshot = join(repo, 'snapshots', commit);
  for (const each of [snapshot, join(repo, 'blobs'), join(repo, 'refs')])
    mkdirSync(each, { recursive: true });
  for (let at = 0; at < filesEach; at++) {
    writeFileSync(join(repo, 'blobs', `blob-${at}`), 'x');
    symlinkSync(join('..', '..', 'blobs', `blob-${at}`), join(snapshot, `file-${at}.bin`));
  }
  writeFileSync(join(repo, 'refs', 'main'), commit);
}
