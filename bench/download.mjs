import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { settle } from './support/homes.mjs';
import { ratio, rounded, Samples } from './support/samples.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const sizeMib = 2048;
const rounds = 5;
const fileServer = fileURLToPath(new URL('./support/file-server.py', import.meta.url));
const downloadOnce = fileURLToPath(new URL('./support/download-once.mjs', import.meta.url));

/** Downloads a large file with curl and with Hob in turn, from the same server into the same folder. */
export async function measure() {
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
      rates.curl.add(curl(url, join(folder, 'curl.bin')));
      const seen = hob(url, join(folder, 'cache'), `model-${round}`);
      rates.hob.add(sizeMib / seen.seconds);
      memory.before.add(seen.before);
      memory.afterTenth.add(seen.afterTenthMib);
      memory.most.add(seen.most);
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
        title: 'Memory of the downloading process, in MiB, maximum of all rounds',
        columns: ['when', 'measured'],
        rows: [
          ['before', rounded(memory.before.at(1))],
          ['after a tenth of the file', rounded(memory.afterTenth.at(1))],
          ['at the end', rounded(memory.most.at(1))],
        ],
      },
    ];
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function curl(url, target) {
  rmSync(target, { force: true });
  settle();
  const args = ['-s', '-o', target, '-w', '%{time_total}', `${url}/bench/model/resolve/main/model.bin`];
  const { status, stdout } = spawnSync('curl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error('curl failed or is not installed');
  rmSync(target, { force: true });
  return sizeMib / Number(stdout);
}

function hob(url, cache, name) {
  settle();
  const { stdout } = spawnSync(process.execPath, [downloadOnce, url, cache, name], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  rmSync(cache, { recursive: true, force: true });
  const seen = JSON.parse(stdout);
  if (seen.state !== 'done') throw new Error(`the download failed: ${seen.message}`);
  return seen;
}
