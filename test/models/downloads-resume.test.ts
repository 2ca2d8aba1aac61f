import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { downloadChild, downloadsHere, pull } from '../support/hub/download-here.ts';
import type { Fault } from '../support/hub/send-file.ts';
import { someBytes, storedFile } from '../support/hub/stored-file.ts';
import { commit, TestHub } from '../support/hub/test-hub.ts';
import { until } from '../support/until.ts';

const small = storedFile('config.json', Buffer.from('{"a":1}'));

/** A worker thread hashes the larger file. */
describe.each([4_000_000, 24_000_000])('of a model of %i bytes', (total) => {
  const model = storedFile('model.bin', someBytes(total));

  async function scene(...faults: readonly Fault[]) {
    const hub = await TestHub.start([model, small]);
    hub.fail(model.path, ...faults);
    const folder = await tempFolder();
    const downloads = await downloadsHere({ url: hub.url, folder, silenceMs: 1000 });
    const repo = join(folder, 'hf', 'models--ada--tiny');
    return { hub, folder, downloads, repo, partial: join(repo, 'blobs', `${model.sha256}.incomplete`) };
  }

  async function isComplete(repo: string): Promise<boolean> {
    return model.bytes.equals(await readFile(join(repo, 'snapshots', commit, model.path)));
  }

  describe('a download whose connection breaks', () => {
    it.each(['huggingface', 'modelscope'] as const)('resumes where it stopped, from %s', async (source) => {
      const { hub, downloads } = await scene(
        { kind: 'cut', afterBytes: 1_500_000 },
        { kind: 'cut', afterBytes: 1_000_000 },
      );
      const { state, folder } = await pull(downloads, { source });
      expect(state).toBe('done');
      expect(model.bytes.equals(await readFile(join(folder ?? '', model.path)))).toBe(true);
      const ranges = hub.sent.filter(({ path }) => path === model.path).map(({ range }) => range);
      expect(ranges).toEqual([null, 'bytes=1500000-', 'bytes=2500000-']);
      expect(hub.bytesSent(model.path)).toBe(model.bytes.length);
    });

    it('is not given up as long as each attempt makes progress', async () => {
      const cuts = Array.from({ length: 20 }, () => ({ kind: 'cut', afterBytes: 150_000 }) as const);
      const { hub, downloads, repo } = await scene(...cuts);
      expect(await pull(downloads)).toMatchObject({ state: 'done' });
      expect(await isComplete(repo)).toBe(true);
      expect(hub.bytesSent(model.path)).toBe(model.bytes.length);
    });

    it('is given up without progress, and the received part is kept', async () => {
      const stuck = Array.from({ length: 30 }, () => ({ kind: 'cut', afterBytes: 0 }) as const);
      const { downloads, partial, repo } = await scene({ kind: 'cut', afterBytes: 1_000_000 }, ...stuck);
      const { state, error } = await pull(downloads);
      expect({ state, code: error?.code }).toEqual({ state: 'failed', code: 'hub-unreachable' });
      expect((await stat(partial)).size).toBe(1_000_000);
      expect(await readdir(repo)).not.toContain('refs');
    });

    it('resumes after a silence', async () => {
      const { hub, downloads, repo } = await scene(
        { kind: 'stall', afterBytes: 1_000_000 },
        { kind: 'silent' },
      );
      expect(await pull(downloads)).toMatchObject({ state: 'done' });
      expect(await isComplete(repo)).toBe(true);
      expect(hub.bytesSent(model.path)).toBe(model.bytes.length);
    });

    it('resumes after the server was overloaded for a while', async () => {
      const { downloads, repo } = await scene(
        { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
        { kind: 'status', status: 503 },
      );
      expect(await pull(downloads)).toMatchObject({ state: 'done' });
      expect(await isComplete(repo)).toBe(true);
    });

    it('starts again with a server without ranges, and with a file that has changed meanwhile', async () => {
      for (const second of [
        { kind: 'ignores-range' },
        { kind: 'etag', etag: '"another"' },
        { kind: 'status', status: 416 },
      ] as const) {
        const { hub, downloads, repo } = await scene({ kind: 'cut', afterBytes: 1_000_000 }, second);
        expect(await pull(downloads)).toMatchObject({ state: 'done', bytesDone: total + small.bytes.length });
        expect(await isComplete(repo)).toBe(true);
        expect(hub.bytesSent(model.path)).toBe(model.bytes.length + 1_000_000);
      }
    });

    it('ends eventually with a server that changes its file all the time', async () => {
      const faults = Array.from(
        { length: 50 },
        (_, at) => ({ kind: 'etag', etag: `"${at}"`, afterBytes: 500_000 + at }) as const,
      );
      const { downloads } = await scene(...faults);
      expect(await pull(downloads)).toMatchObject({ state: 'failed', error: { code: 'hub-unreachable' } });
    });
  });

  describe('a download that was started earlier', () => {
    it('is resumed with everything that is there', async () => {
      const { hub, downloads, repo, partial } = await scene();
      await mkdir(join(repo, 'blobs'), { recursive: true });
      await writeFile(partial, model.bytes.subarray(0, 3_000_000));
      expect(await pull(downloads)).toMatchObject({ state: 'done' });
      expect(await isComplete(repo)).toBe(true);
      expect(hub.bytesSent(model.path)).toBe(total - 3_000_000);
    });

    it('is only verified if nothing is missing', async () => {
      const { hub, downloads, repo, partial } = await scene();
      await mkdir(join(repo, 'blobs'), { recursive: true });
      await writeFile(partial, model.bytes);
      expect(await pull(downloads)).toMatchObject({ state: 'done' });
      expect(await isComplete(repo)).toBe(true);
      expect(hub.bytesSent(model.path)).toBe(0);
    });

    it.each([
      ['has other bytes', Buffer.alloc(3_000_000, 7)],
      ['is too long', Buffer.alloc(total + 1_000_000, 7)],
      ['is as long, with other bytes', Buffer.alloc(total, 7)],
    ])('is fetched again when it %s', async (_what, bytes) => {
      const { downloads, repo, partial } = await scene();
      await mkdir(join(repo, 'blobs'), { recursive: true });
      await writeFile(partial, bytes);
      expect(await pull(downloads)).toMatchObject({ state: 'done', bytesDone: total + small.bytes.length });
      expect(await isComplete(repo)).toBe(true);
    });

    it('by a process that was killed is resumed where that process stopped', async () => {
      const { hub, folder, repo, partial, downloads } = await scene({ kind: 'stall', afterBytes: 2_500_000 });
      const child = spawn(process.execPath, [downloadChild, hub.url, join(folder, 'hf')], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const exited = once(child, 'exit');
      // Whole batches are on the disk. The incomplete batch in memory is lost with the process.
      await until('most of it is on the disk', async () => {
        const found = await stat(partial).catch(() => null);
        return found !== null && found.size >= 1_000_000;
      });
      child.kill('SIGKILL');
      await exited;
      const { size } = await stat(partial);
      expect(await readdir(repo)).not.toContain('refs');
      hub.sent.length = 0;
      expect(await pull(downloads)).toMatchObject({ state: 'done' });
      expect(await isComplete(repo)).toBe(true);
      expect(hub.sent.filter(({ path }) => path === model.path)).toEqual([
        { path: model.path, range: `bytes=${size}-`, status: 206, bytes: model.bytes.length - size },
      ]);
      expect(size).toBeLessThan(model.bytes.length);
    });
  });

  describe('content that differs from the announced one', () => {
    const faults: Fault[] = [
      { kind: 'tampered' },
      { kind: 'sized', sizeBytes: total - 1 },
      { kind: 'sized', sizeBytes: total + 1 },
      { kind: 'unsaid', sizeBytes: total + 1 },
      { kind: 'wrong-range' },
    ];

    it.each(faults.filter(({ kind }) => kind !== 'wrong-range'))(
      'is refused, and removed: %j',
      async (fault) => {
        const { downloads, partial, repo } = await scene(fault, fault);
        const { state, error } = await pull(downloads);
        expect({ state, code: error?.code }).toEqual({ state: 'failed', code: 'download-corrupt' });
        expect(error?.message).toContain('model.bin');
        await expect(stat(partial)).rejects.toThrow('ENOENT');
        expect(await readdir(join(repo, 'blobs'))).not.toContain(model.sha256);
        expect(await readdir(repo)).not.toContain('refs');
        expect(await readdir(repo)).not.toContain('trees');
      },
    );

    it.each(faults)('is fetched once more, and accepted if it is then correct: %j', async (fault) => {
      const { downloads, repo } = await scene(
        ...(fault.kind === 'wrong-range' ? [{ kind: 'cut', afterBytes: 1_000_000 } as const] : []),
        fault,
      );
      expect(await pull(downloads)).toMatchObject({ state: 'done', bytesDone: total + small.bytes.length });
      expect(await isComplete(repo)).toBe(true);
    });

    it('is refused if it is compressed', async () => {
      const { downloads } = await scene({ kind: 'gzip' });
      expect(await pull(downloads)).toMatchObject({ state: 'failed', error: { code: 'hub-answer-invalid' } });
    });
  });
});
