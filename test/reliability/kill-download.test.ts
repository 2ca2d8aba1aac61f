import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { expect, it, onTestFinished } from 'vitest';

import { record } from '../support/figures.ts';
import { type Hob, launchHob, tempFolder } from '../support/hob.ts';
import { someBytes, storedFile } from '../support/hub/stored-file.ts';
import { TestHub } from '../support/hub/test-hub.ts';
import { traceProcesses } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { until } from '../support/until.ts';

const scenario = 'kill-download';
const repoId = 'ada/tiny';
/** One file that a worker thread hashes, some smaller ones, and two files with the same content. */
const files = [
  storedFile('model.bin', someBytes(24_000_000)),
  storedFile('part.bin', someBytes(3_000_000, 2)),
  storedFile('config.json', Buffer.from('{"model_type":"tiny"}')),
  storedFile('copy/config.json', Buffer.from('{"model_type":"tiny"}')),
  storedFile('empty.txt', Buffer.alloc(0)),
];
const totalBytes = files.reduce((sum, { bytes }) => sum + bytes.length, 0);

it(
  'a service that is killed while it downloads resumes the download, and never reports a partial model as complete',
  patiently,
  async () => {
    const models = scaled(1, 40);
    const killsEach = 5;
    const random = new SeededRandom();
    const hub = await TestHub.start(files);
    const trace = traceProcesses();
    const home = await tempFolder();
    let hob: Hob | null = null;
    onTestFinished(async () => {
      await hob?.stop();
      await trace.noneLeft();
    });

    const seen = { kills: 0, wrong: 0, sent: 0, left: 0, asWhole: 0 };
    for (let model = 0; model < models; model++) {
      const source = random.pick(['huggingface', 'modelscope'] as const);
      const cache = await tempFolder();
      const env = {
        ...trace.env,
        HF_HUB_CACHE: cache,
        MODELSCOPE_CACHE: cache,
        HF_ENDPOINT: hub.url,
        MODELSCOPE_ENDPOINT: hub.url,
      };
      hub.sent.length = 0;
      for (let kill = 0; kill < killsEach; kill++) {
        hob = await launchHob({ home, env });
        await checkPath(hob);
        // Mostly so slow that the kill comes in the middle, and sometimes at full speed.
        if (random.next() < 0.7)
          hub.fail('model.bin', { kind: 'slow', bytes: 400_000, everyMs: random.between(1, 10) });
        await hob.post('/api/models/download', { repo_id: repoId, source });
        await pause(random.between(0, 250));
        await hob.stop('SIGKILL');
        seen.kills++;
      }
      hub.fail('model.bin');
      hob = await launchHob({ home, env });
      await checkPath(hob);
      const { body } = await hob.post('/api/models/download', { repo_id: repoId, source });
      const { download_id: id } = body;
      const whole = hob;
      await until('the download has ended', async () => {
        const { state, error } = (await whole.get(`/api/models/downloads/${id}`)).body;
        expect(error ?? null, `seed ${random.seed}`).toBeNull();
        return state === 'done';
      });
      expect(await checkPath(hob), `seed ${random.seed}`).toBe(true);
      seen.sent += hub.sent.reduce((sum, { bytes }) => sum + bytes, 0);
      seen.left += (await readdir(cache, { recursive: true })).filter((name) =>
        /incomplete|\.draft|\.tmp/.test(name),
      ).length;
      await hob.stop();
      hob = null;
    }

    /** Whether the service reports the model as downloaded. If so, its files must be complete. */
    async function checkPath(service: Hob): Promise<boolean> {
      const { status, body } = await service.get(`/api/model/path?repo_id=${repoId}`);
      if (status !== 200) return false;
      const folder = String(Reflect.get(Object(body.data), 'path'));
      for (const { path, bytes } of files) {
        const there = await readFile(join(folder, path)).catch(() => null);
        if (there?.equals(bytes) !== true) seen.wrong++;
      }
      seen.asWhole++;
      return true;
    }

    const tell = (what: string, value: number, unit = '') => record({ scenario, what, value, unit });
    tell('models downloaded', models);
    tell('kills of the service', seen.kills);
    tell('times that a model was reported as downloaded', seen.asWhole);
    const none = { unit: '', bound: { exactly: 0 } };
    record({ scenario, what: 'files of these models with wrong content', value: seen.wrong, ...none });
    record({ scenario, what: 'partial files left at the end', value: seen.left, ...none });
    const many = totalBytes * models;
    tell(
      'bytes sent by the hub, relative to the size of the models',
      Math.round((seen.sent / many) * 100),
      '%',
    );
  },
);
