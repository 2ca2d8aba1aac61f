import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { AppError } from '../../src/shared/errors.ts';
import { tempFolder } from '../support/hob.ts';
import { downloadsHere, pull } from '../support/hub/download-here.ts';
import { someBytes, storedFile } from '../support/hub/stored-file.ts';
import { TestHub } from '../support/hub/test-hub.ts';

const small = storedFile('config.json', Buffer.from('{"a":1}'));
const model = storedFile('model.bin', someBytes(100_000));

describe('a refusal by the hub', () => {
  async function refusal(
    status: number,
    headers: Record<string, string> = {},
    more: { token?: string; source?: 'huggingface' | 'modelscope'; revision?: string } = {},
  ): Promise<{ error: AppError; said: string; asked: number }> {
    const hub = await TestHub.start([small]);
    hub.answer = (_request, response) => {
      response.writeHead(status, headers).end('{"error":"no"}');
      return true;
    };
    const { source = 'huggingface', revision = null, ...rest } = more;
    const downloads = await downloadsHere({ url: hub.url, folder: await tempFolder(), ...rest });
    const { error } = await pull(downloads, { source, revision });
    if (error === null) throw new Error('the download was not refused');
    return { error, said: `${error.message} ${error.hint?.en}`, asked: hub.asked.length };
  }

  it('names the next step', async () => {
    const unnamed = await refusal(401);
    expect(unnamed.error.code).toBe('hub-denied');
    expect(unnamed.said).toMatch(/spelling.*HF_TOKEN/s);
    expect((await refusal(403, {}, { token: 'hf_secret' })).said).toMatch(/The token does not give access/);
    const gated = await refusal(403, { 'x-error-code': 'GatedRepo' });
    expect(gated.said).toMatch(/licence.*http:\/\/127\.0\.0\.1:\d+\/ada\/tiny.*HF_TOKEN/s);
    const gone = await refusal(404, {}, { revision: 'v9' });
    expect(gone.error.code).toBe('hub-not-found');
    expect(gone.said).toMatch(/ada\/tiny at v9.*spelling/s);
    expect((await refusal(401, {}, { source: 'modelscope' })).said).toContain('MODELSCOPE_API_TOKEN');
  });

  it('for too many requests says when to come back, and a long time is not awaited', async () => {
    const { error, said, asked } = await refusal(429, { 'retry-after': '3600' });
    expect(error).toMatchObject({ code: 'hub-unreachable', retryAfterS: 3600 });
    expect(said).toContain('in 3600 s');
    expect(asked).toBe(1);
  });

  it('that may be temporary is retried a few times', async () => {
    const { error, asked } = await refusal(503);
    expect(error.code).toBe('hub-unreachable');
    expect(asked).toBe(5);
  });
});

describe('the access token of the user', () => {
  it.each([
    ['huggingface', 'authorization', 'Bearer hf_very_secret'],
    ['modelscope', 'cookie', 'm_session_id=hf_very_secret'],
  ] as const)('is sent to %s and to no other host', async (source, header, value) => {
    const hub = await TestHub.start([small, model]);
    const folder = await tempFolder();
    const downloads = await downloadsHere({ url: hub.url, folder, token: 'hf_very_secret' });
    expect(await pull(downloads, { source })).toMatchObject({ state: 'done' });
    const asked = (host: string) => hub.asked.filter((one) => one.host === host);
    expect(asked('store').length).toBeGreaterThan(0);
    for (const { headers } of asked('hub')) expect(headers[header]).toBe(value);
    for (const one of asked('store')) expect(JSON.stringify(one)).not.toContain('very_secret');
    for (const { headers } of hub.asked) expect(headers.referer).toBeUndefined();
  });

  it('is read from its file, again for each download', async () => {
    const hub = await TestHub.start([small]);
    const folder = await tempFolder();
    const tokenFile = join(folder, 'token');
    const downloads = await downloadsHere({ url: hub.url, folder, tokenFile });
    await pull(downloads);
    expect(hub.asked.at(-1)?.headers.authorization).toBeUndefined();
    await writeFile(tokenFile, 'hf_from_file\n');
    await pull(downloads);
    expect(hub.asked.at(-1)?.headers.authorization).toBe('Bearer hf_from_file');
  });

  it('appears in no message', async () => {
    const hub = await TestHub.start([small, model]);
    hub.fail(model.path, ...Array.from({ length: 40 }, () => ({ kind: 'cut', afterBytes: 0 }) as const));
    const downloads = await downloadsHere({
      url: hub.url,
      folder: await tempFolder(),
      token: 'hf_very_secret',
    });
    const { error } = await pull(downloads);
    expect(error?.code).toBe('hub-unreachable');
    // Nor does the signature in the address of the store.
    expect(
      JSON.stringify([error?.text, error?.hint, String(error?.stack), String(error?.cause)]),
    ).not.toMatch(/very.secret/);
  });

  it('is not sent when downloads are switched off', async () => {
    const hub = await TestHub.start([small]);
    const downloads = await downloadsHere({ url: hub.url, folder: await tempFolder(), isOffline: true });
    const { error } = await pull(downloads);
    expect(error?.message).toContain('HF_HUB_OFFLINE');
    expect(hub.asked).toEqual([]);
  });
});
