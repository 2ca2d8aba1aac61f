import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { DownloadView } from '../../src/models/downloads/download.ts';
import { tempFolder } from '../support/hob.ts';
import { downloadChild, downloadsHere, endOf, pull, requestFor } from '../support/hub/download-here.ts';
import { someBytes, storedFile } from '../support/hub/stored-file.ts';
import { commit, TestHub } from '../support/hub/test-hub.ts';
import { findProgram, has } from '../support/needs.ts';
import { until } from '../support/until.ts';

const model = storedFile('model.bin', someBytes(3_000_000));
const small = storedFile('config.json', Buffer.from('{"a":1}'));

async function scene(files = [model, small]) {
  const hub = await TestHub.start(files);
  const folder = await tempFolder();
  const downloads = await downloadsHere({ url: hub.url, folder, silenceMs: 20_000 });
  const repo = join(folder, 'hf', 'models--ada--tiny');
  return { hub, folder, downloads, repo };
}

/** Waits until this many bytes of a file have been sent. */
async function sentBytes(hub: TestHub, path: string, bytes: number): Promise<void> {
  await until(`${bytes} bytes of ${path} were sent`, async () => hub.bytesSent(path) >= bytes);
}

describe('concurrent downloads', () => {
  it('of the same files are one download, and each file is fetched once', async () => {
    const { hub, downloads } = await scene();
    const begun = Array.from({ length: 20 }, () => downloads.start(requestFor()));
    expect(begun.map(({ isJoined }) => isJoined)).toEqual([false, ...Array(19).fill(true)]);
    expect(new Set(begun.map(({ download }) => download.id)).size).toBe(1);
    expect(await endOf(downloads, begun[0]?.download.id ?? '')).toMatchObject({ state: 'done' });
    expect(hub.sent.map(({ path }) => path).sort()).toEqual(['config.json', 'model.bin']);
  });

  it('are joined if one contains all files of the other, and otherwise wait for it', async () => {
    const { hub, downloads } = await scene();
    const first = downloads.start(requestFor({ files: ['*.bin', '*.txt'] }));
    expect(downloads.start(requestFor({ files: ['*.bin'] })).isJoined).toBe(true);
    expect(downloads.start(requestFor({ files: ['*.bin'], revision: 'v1' })).isJoined).toBe(false);
    const all = downloads.start(requestFor());
    expect(all.isJoined).toBe(false);
    expect(downloads.start(requestFor({ files: ['*.onnx'] }))).toMatchObject({
      isJoined: true,
      download: { id: all.download.id },
    });
    expect(await endOf(downloads, all.download.id)).toMatchObject({ state: 'done', filesDone: 2 });
    expect(downloads.find(first.download.id)).toMatchObject({ state: 'done', filesDone: 1 });
    expect(hub.sent.map(({ path }) => path).sort()).toEqual(['config.json', 'model.bin']);
  });

  it('of more than two repos are queued', async () => {
    const { hub, downloads } = await scene();
    let lists = 0;
    hub.answer = (_request, response, { pathname }) => {
      if (pathname.includes('/ada/tiny')) return false;
      if (pathname.startsWith('/api/models/')) lists++;
      else response.writeHead(404).end();
      return true;
    };
    const named = (name: string) => downloads.start(requestFor({ repo: { owner: 'ada', name } })).download.id;
    const [one, two, three] = [named('one'), named('two'), named('three')];
    await until('two of them have begun', async () => lists === 2);
    expect(downloads.find(three)).toMatchObject({ state: 'running', bytesDone: 0 });
    expect(lists).toBe(2);
    downloads.cancel(one);
    await until('the third has begun', async () => lists === 3);
    for (const id of [two, three]) downloads.cancel(id);
    expect(await endOf(downloads, three)).toMatchObject({ state: 'cancelled', error: null });
  });

  it('wait for one of another process, and then find everything there', async () => {
    const { hub, folder, downloads, repo } = await scene();
    hub.fail(model.path, { kind: 'slow', bytes: 300_000, everyMs: 50 });
    const child = spawn(process.execPath, [downloadChild, hub.url, join(folder, 'hf')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    const exited = once(child, 'exit');
    await sentBytes(hub, model.path, 300_000);
    expect(await pull(downloads)).toMatchObject({ state: 'done', filesDone: 2 });
    await exited;
    expect(said).toBe('done \n');
    expect(hub.sent.map(({ path }) => path).sort()).toEqual(['config.json', 'model.bin']);
    expect(await readdir(join(repo, '..', '.locks', 'models--ada--tiny'))).toEqual([]);
  });

  it('are not blocked by the claim of a process that is gone', async () => {
    const { downloads, repo } = await scene();
    const locks = join(repo, '..', '.locks', 'models--ada--tiny');
    await mkdir(locks, { recursive: true });
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    await writeFile(join(locks, `hob-${gone.pid}-123.claim`), '');
    // A process with this id exists, but it started at another time.
    await writeFile(join(locks, `hob-${process.pid}-123.claim`), '');
    expect(await pull(downloads)).toMatchObject({ state: 'done' });
  });
});

describe('a download that is cancelled', () => {
  it('stops immediately and keeps what can be resumed', async () => {
    const { hub, downloads, repo } = await scene();
    hub.fail(model.path, { kind: 'stall', afterBytes: 2_000_000 });
    const { id } = downloads.start(requestFor()).download;
    await until(
      'all that was sent has arrived',
      async () => (downloads.find(id)?.bytesDone ?? 0) >= 2_000_000,
    );
    expect(downloads.cancel(id)).toBe(true);
    expect(await endOf(downloads, id)).toMatchObject({ state: 'cancelled', error: null });
    expect(downloads.cancel(id)).toBe(false);
    expect((await stat(join(repo, 'blobs', `${model.sha256}.incomplete`))).size).toBe(2_000_000);
    expect(await readdir(repo)).not.toContain('refs');
    expect(await pull(downloads)).toMatchObject({ state: 'done' });
    expect(hub.bytesSent(model.path)).toBe(model.bytes.length);
  });

  it('marks a ModelScope folder as incomplete', async () => {
    const { hub, downloads, folder } = await scene();
    hub.fail(model.path, { kind: 'stall', afterBytes: 1_000_000 });
    const { id } = downloads.start(requestFor({ source: 'modelscope' })).download;
    await sentBytes(hub, model.path, 1_000_000);
    downloads.cancel(id);
    await endOf(downloads, id);
    const snapshot = join(folder, 'ms', 'models', 'ada--tiny', 'snapshots', 'master');
    expect(await readdir(snapshot)).toContain('.hob.incomplete');
    expect(await readdir(snapshot)).not.toContain('.hob.json');
    expect(await pull(downloads, { source: 'modelscope' })).toMatchObject({ state: 'done' });
    expect(await readdir(snapshot)).not.toContain('.hob.incomplete');
  });

  it('is not joined by the next one, which waits until it has released its claim', async () => {
    const { hub, downloads } = await scene();
    hub.fail(model.path, { kind: 'stall', afterBytes: 1_000_000 });
    const { id } = downloads.start(requestFor()).download;
    await sentBytes(hub, model.path, 1_000_000);
    downloads.cancel(id);
    const next = downloads.start(requestFor());
    expect(next).toMatchObject({ isJoined: false });
    expect(await endOf(downloads, next.download.id)).toMatchObject({ state: 'done' });
  });

  it('and does not exist is ignored', async () => {
    const { downloads } = await scene();
    expect(downloads.cancel('nobody')).toBe(false);
    expect(downloads.find('nobody')).toBeNull();
  });

  it('is stopped with all others when the service stops, and no new one starts', async () => {
    const { hub, downloads } = await scene();
    hub.fail(model.path, { kind: 'silent' });
    const { id } = downloads.start(requestFor()).download;
    await until('it was asked for', async () => hub.sent.some(({ path }) => path === model.path));
    await downloads.close();
    expect(downloads.find(id)?.state).toBe('cancelled');
    expect(() => downloads.start(requestFor())).toThrow('is stopping and accepts no new downloads');
  });
});

describe('the progress of a download', () => {
  it('is published at most four times a second, and always at its end', async () => {
    const { hub, downloads } = await scene();
    hub.fail(model.path, { kind: 'slow', bytes: 100_000, everyMs: 40 });
    const seen: { view: DownloadView; atMs: number }[] = [];
    downloads.progress.subscribe((view) => seen.push({ view, atMs: performance.now() }));
    const { id } = downloads.start(requestFor()).download;
    await endOf(downloads, id);
    const running = seen.filter(({ view }) => view.state === 'running');
    expect(seen.at(-1)?.view).toMatchObject({
      id,
      state: 'done',
      bytesDone: 3_000_007,
      bytesTotal: 3_000_007,
    });
    const lastedMs = (seen.at(-1)?.atMs ?? 0) - (seen[0]?.atMs ?? 0);
    expect(running.length).toBeGreaterThan(1);
    expect(running.length).toBeLessThanOrEqual(lastedMs / 250 + 2);
    const rated = running.find(({ view }) => view.bytesPerSecond !== null && view.bytesDone > 0);
    expect(rated?.view.bytesPerSecond).toBeGreaterThan(0);
    expect(rated?.view.secondsLeft).toBeGreaterThan(0);
    const done = running.map(({ view }) => view.bytesDone);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
  });

  it('is kept for the last hundred ended downloads, newest first', async () => {
    const { downloads } = await scene();
    const first = downloads.start(requestFor({ files: ['none-0'] })).download.id;
    await endOf(downloads, first);
    for (let at = 1; at <= 100; at++) await pull(downloads, { files: [`none-${at}`] });
    const listed = downloads.list();
    expect(listed).toHaveLength(100);
    expect(listed[0]?.files).toEqual(['none-100']);
    expect(downloads.find(first)).toBeNull();
  });
});

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

describe.skipIf(!canMount)('a full disk', () => {
  async function smallDisk(mebibytes: number): Promise<string> {
    const folder = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder]);
    });
    return folder;
  }

  it('is noticed before the first byte is fetched', async () => {
    const hub = await TestHub.start([model, small]);
    const downloads = await downloadsHere({ url: hub.url, folder: await smallDisk(18) });
    const { state, error } = await pull(downloads);
    expect({ state, code: error?.code }).toEqual({ state: 'failed', code: 'resources-exhausted' });
    expect(error?.message).toMatch(/3 MiB needed, \d+ MiB free/);
    expect(hub.sent).toEqual([]);
  });

  it.each(['huggingface', 'modelscope'] as const)(
    'is noticed during a download from %s, which resumes when there is space again',
    async (source) => {
      const large = storedFile('large.bin', someBytes(9_000_000));
      const hub = await TestHub.start([large, small]);
      hub.fail(large.path, { kind: 'slow', bytes: 500_000, everyMs: 20 });
      const folder = await smallDisk(32);
      const downloads = await downloadsHere({ url: hub.url, folder });
      const { id } = downloads.start(requestFor({ source })).download;
      await sentBytes(hub, large.path, 1_000_000);
      const { bavail, bsize } = await statfs(folder);
      const filler = join(folder, 'filler');
      await writeFile(filler, Buffer.alloc(bavail * bsize - 3_000_000)).catch(() => {});
      const { state, error } = await endOf(downloads, id);
      expect({ state, code: error?.code }).toEqual({ state: 'failed', code: 'resources-exhausted' });
      expect(error?.message).toContain('Not enough space');
      await rm(filler);
      hub.sent.length = 0;
      const ended = await pull(downloads, { source });
      expect(ended.state).toBe('done');
      expect(large.bytes.equals(await readFile(join(ended.folder ?? '', large.path)))).toBe(true);
      expect(hub.bytesSent(large.path)).toBeLessThan(large.bytes.length);
    },
  );
});

const python = process.env.HUGGINGFACE_HUB_PYTHON ?? findProgram('python3') ?? 'python3';
function hasHuggingFaceHub(): boolean {
  try {
    execFileSync(python, ['-c', 'import huggingface_hub'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!has("Python's huggingface_hub", hasHuggingFaceHub()))(
  "a download is found by Python's huggingface_hub without any network",
  async () => {
    const { downloads, folder } = await scene();
    expect(await pull(downloads)).toMatchObject({ state: 'done' });
    const program = `
import sys
from huggingface_hub import snapshot_download, hf_hub_download, scan_cache_dir
cache = sys.argv[1]
print(snapshot_download("ada/tiny", cache_dir=cache, local_files_only=True))
print(hf_hub_download("ada/tiny", "model.bin", cache_dir=cache, local_files_only=True))
info = scan_cache_dir(cache)
print(len(info.warnings), [(repo.repo_id, repo.nb_files, repo.size_on_disk, sorted(repo.refs)) for repo in info.repos])
`;
    const cache = join(folder, 'hf');
    const env = { ...process.env, HF_HUB_OFFLINE: '1' };
    const said = execFileSync(python, ['-c', program, cache], { encoding: 'utf8', env });
    const snapshot = join(cache, 'models--ada--tiny', 'snapshots', commit);
    expect(said.trim().split('\n')).toEqual([
      snapshot,
      join(snapshot, 'model.bin'),
      "0 [('ada/tiny', 2, 3000007, ['main'])]",
    ]);
  },
);
