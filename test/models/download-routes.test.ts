import { describe, expect, it } from 'vitest';

import { AppError } from '../../src/shared/errors.ts';
import { appInProcess, openGuarded } from '../support/app-in-process.ts';
import { MemoryDownloads } from '../support/memory-downloads.ts';

const repo = { owner: 'acme', name: 'tiny' };
const repo_id = 'acme/tiny';

/** The application with downloads whose progress the test sets. */
async function open(tables = '') {
  const downloads = new MemoryDownloads();
  const { app } = await appInProcess({ downloads, tables });
  const { url } = await openGuarded(app);
  const ask = async (method: string, path: string, body?: unknown, language = 'en') => {
    const answer = await fetch(`${url}/api/models${path}`, {
      method,
      headers: {
        'accept-language': language,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const seen: Record<string, unknown> = JSON.parse(await answer.text());
    return { status: answer.status, code: answer.headers.get('x-hob-error'), body: seen };
  };
  return { downloads, ask };
}

describe('POST /api/models/download', () => {
  it('starts a download, and joins one in progress', async () => {
    const { downloads, ask } = await open();
    const first = await ask('POST', '/download', { repo_id });
    const [{ id = '' } = {}] = downloads.list();
    expect(first).toMatchObject({ status: 200, code: null });
    expect(first.body).toEqual({
      status: 'success',
      message: 'Started the download of acme/tiny',
      download_id: id,
      is_joined: false,
    });
    const second = await ask('POST', '/download', { repo_id }, 'zh-CN');
    expect(second.body).toEqual({
      status: 'success',
      message: '模型 acme/tiny 正在下载',
      download_id: id,
      is_joined: true,
    });
  });

  it('downloads everything from huggingface if no script says otherwise', async () => {
    const { downloads, ask } = await open();
    await ask('POST', '/download', { repo_id });
    expect(downloads.requests).toEqual([{ repo, source: 'huggingface', files: [], revision: null }]);
  });

  it('uses the declaration of a script, unless the request says more', async () => {
    const { downloads, ask } = await open(
      '[[service.models]]\nsource = "modelscope"\nrepo_id = "acme/tiny"\nfiles = ["*.onnx"]\n',
    );
    await ask('POST', '/download', { repo_id });
    await ask('POST', '/download', { repo_id, files: [], source: 'huggingface', revision: 'refs/pr/7' });
    await ask('POST', '/download', { repo_id, files: ['*.txt', 'a/**'] });
    expect(downloads.requests).toEqual([
      { repo, source: 'modelscope', files: ['*.onnx'], revision: null },
      { repo, source: 'huggingface', files: [], revision: 'refs/pr/7' },
      { repo, source: 'modelscope', files: ['*.txt', 'a/**'], revision: null },
    ]);
  });

  it('refuses invalid requests in the language of the caller, and starts nothing', async () => {
    const { downloads, ask } = await open();
    const bad = await ask('POST', '/download', { repo_id: 'acme/../etc' });
    expect([bad.status, bad.code]).toEqual([400, 'repo-id-invalid']);
    expect(bad.body).toEqual({
      status: 'error',
      code: 'repo-id-invalid',
      message: 'repo_id is missing or not of the form owner/name.',
      hint: expect.stringContaining('address'),
      fields: ['repo_id'],
    });
    const chinese = await ask('POST', '/download', { repo_id, source: 'github' }, 'zh');
    expect(chinese).toMatchObject({ status: 400, code: 'field-invalid' });
    expect(chinese.body.message).toBe('source 应为以下之一: huggingface、modelscope');
    expect((await ask('POST', '/download')).code).toBe('repo-id-invalid');
    expect(downloads.requests).toEqual([]);
  });
});

describe('GET /api/models/downloads', () => {
  it('lists all downloads, the newest first, and shows each of them', async () => {
    const { downloads, ask } = await open();
    expect((await ask('GET', '/downloads')).body).toEqual({ items: [], next: null });
    const first = downloads.start({ repo, source: 'huggingface', files: ['*.onnx'], revision: 'main' });
    const { id } = first.download;
    downloads.step(id, {
      bytesDone: 5,
      bytesTotal: 20,
      filesDone: 1,
      filesTotal: 3,
      bytesPerSecond: 2.5,
      secondsLeft: 6,
    });
    const other = downloads.start({
      repo: { owner: 'acme', name: 'other' },
      source: 'modelscope',
      files: [],
      revision: null,
    });
    const shown = {
      download_id: id,
      repo_id,
      source: 'huggingface',
      revision: 'main',
      files: ['*.onnx'],
      state: 'running',
      bytes_done: 5,
      bytes_total: 20,
      files_done: 1,
      files_total: 3,
      bytes_per_s: 2.5,
      seconds_left: 6,
      started_at: '2026-05-01T12:00:00.000Z',
      ended_at: null,
      folder: null,
      error: null,
    };
    const { body } = await ask('GET', '/downloads');
    expect(body).toEqual({
      items: [expect.objectContaining({ download_id: other.download.id }), shown],
      next: null,
    });
    expect((await ask('GET', `/downloads/${id}`)).body).toEqual(shown);
  });

  it('reports in the language of the caller why one failed', async () => {
    const { downloads, ask } = await open();
    const { id } = downloads.start({ repo, source: 'huggingface', files: [], revision: null }).download;
    const error = new AppError(
      'resources-exhausted',
      { en: 'The disk is full', zh: '磁盘已满' },
      { hint: { en: 'Make room.', zh: '请清理磁盘。' } },
    );
    downloads.step(id, { state: 'failed', endedAt: '2026-05-01T12:00:05.000Z', error });
    expect((await ask('GET', `/downloads/${id}`)).body).toMatchObject({
      state: 'failed',
      error: { code: 'resources-exhausted', message: 'The disk is full', hint: 'Make room.' },
    });
    expect((await ask('GET', `/downloads/${id}`, undefined, 'zh')).body.error).toEqual({
      code: 'resources-exhausted',
      message: '磁盘已满',
      hint: '请清理磁盘。',
    });
  });

  it('finds no other downloads', async () => {
    const { ask } = await open();
    const { status, body } = await ask('GET', '/downloads/nope');
    expect({ status, body }).toEqual({
      status: 404,
      body: {
        status: 'error',
        code: 'download-unknown',
        message: 'No such download: nope',
        hint: expect.stringContaining('GET /api/models/downloads'),
      },
    });
    expect(await ask('GET', '/downloads?state=done')).toMatchObject({ status: 400, code: 'field-invalid' });
  });
});

describe('POST /api/models/downloads/<id>/cancel', () => {
  it('stops a download once', async () => {
    const { downloads, ask } = await open();
    const { id } = downloads.start({ repo, source: 'huggingface', files: [], revision: null }).download;
    const { status, body } = await ask('POST', `/downloads/${id}/cancel`, {});
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'success', message: 'The download is being stopped', download_id: id },
    });
    expect(downloads.find(id)?.state).toBe('cancelled');
    expect(await ask('POST', `/downloads/${id}/cancel`)).toMatchObject({
      status: 409,
      code: 'download-ended',
    });
    expect(await ask('POST', '/downloads/nope/cancel')).toMatchObject({
      status: 404,
      code: 'download-unknown',
    });
  });
});
