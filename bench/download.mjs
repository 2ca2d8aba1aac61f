import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { settle } from './support/homes.mjs';
import { ratio, rounded, Samples } from './support/samples.mjs';
import { residentBytes, startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const fileServer = fileURLToPath(new URL('./support/file-server.py', import.meta.url));

/** Downloads a large file with curl and with Hob in turn, from the same server into the same folder. */
export async function measure({ quick }) {
  const [sizeMib, rounds] = quick ? [128, 1] : [2048, 5];
  const folder = mkdtempSync(join(tmpdir(), 'hob-bench-download-'));
  const server = spawn('python3', [fileServer, join(folder, 'served.bin'), String(sizeMib)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(server.stdout, 'data');
    const url = String(line).trim();
    const rates = { curl: new Samples(), hob: new Samples() };
    const memory = { before: new Samples(), afterTenth: new Samples(), most: new Samples() };
    for (let round = 0; round < rounds; round++) {
      rates.curl.add(sizeMib / curl(url, join(folder, 'curl.bin')));
      const seen = await hob(url, mkdtempSync(join(folder, 'hob-')));
      rates.hob.add(sizeMib / seen.seconds);
      for (const [when, samples] of Object.entries(memory)) samples.add(seen[when] / 2 ** 20);
    }
    const row = (who, samples) => [
      who,
      rounded(samples.at(0.5)),
      rounded(samples.at(0.001)),
      rounded(samples.at(1)),
    ];
    return [
      {
        title: `A file of ${sizeMib.toLocaleString('en')} MiB, ${rounds} times each, in MiB/s`,
        columns: ['program', 'p50', 'slowest', 'fastest'],
        rows: [
          row('`curl -o`', rates.curl),
          row('Hob, with verification and fsync', rates.hob),
          ['ratio of p50', ratio(rates.hob.at(0.5), rates.curl.at(0.5)), null, null],
        ],
      },
      {
        title: 'Memory of the service, in MiB, maximum of all rounds',
        columns: ['when', 'measured'],
        rows: [
          ['before', rounded(memory.before.at(1))],
          ['peak after a tenth of the file', rounded(memory.afterTenth.at(1))],
          ['peak at the end', rounded(memory.most.at(1))],
        ],
      },
    ];
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the seconds of the download. */
function curl(url, target) {
  rmSync(target, { force: true });
  settle();
  const args = ['-s', '-o', target, '-w', '%{time_total}', `${url}/bench/model/resolve/main/model.bin`];
  const { status, stdout } = spawnSync('curl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error('curl failed or is not installed');
  rmSync(target, { force: true });
  return Number(stdout);
}

/** Downloads the file with a new service. Returns the seconds of the download, and the resident bytes of the service. */
async function hob(url, folder) {
  Object.assign(process.env, { HF_ENDPOINT: url, HF_HUB_CACHE: join(folder, 'cache') });
  const service = await startService(folder, '');
  const caller = service.caller();
  try {
    settle();
    const peak = () => residentBytes(service.pid, 'VmHWM');
    const before = residentBytes(service.pid);
    // Resets the peak of the resident memory, which the start of the service has raised.
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
    const { download_id } = await caller.json('/api/models/download', { repo_id: 'bench/model' });
    let afterTenth;
    for (;;) {
      const download = await caller.json(`/api/models/downloads/${download_id}`);
      if (download.bytes_done > (download.bytes_total ?? Number.POSITIVE_INFINITY) / 10)
        afterTenth ??= peak();
      if (download.state === 'done') {
        const seconds = (Date.parse(download.ended_at) - Date.parse(download.started_at)) / 1000;
        return { seconds, before, afterTenth, most: peak() };
      }
      if (download.state !== 'running') throw new Error(`the download failed: ${download.error?.message}`);
      await pause(20);
    }
  } finally {
    caller.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
