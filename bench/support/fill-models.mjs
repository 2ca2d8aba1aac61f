import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const filesEach = 25;
const commit = '0123456789abcdef0123456789abcdef01234567';

/**
 * Creates models in each place where Hob looks: of owner `own` in the home, `hf` in the Hugging Face cache, `ms` in the ModelScope cache. Returns the
 * environment variables that point to the two caches.
 */
export function fillModels(folder, home, models) {
  const [hub, scope] = ['hub', 'scope'].map((name) => join(folder, name));
  for (let at = 0; at < models; at++) {
    fill(join(home, 'models', 'own', `model-${at}`));
    fillHuggingFace(join(hub, `models--hf--model-${at}`));
    fill(join(scope, 'models', 'ms', `model-${at}`));
  }
  return { HF_HUB_CACHE: hub, MODELSCOPE_CACHE: scope };
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
