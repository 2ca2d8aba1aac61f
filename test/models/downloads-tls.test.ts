import { spawn, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { downloadChild } from '../support/hub/download-here.ts';
import { someBytes, storedFile } from '../support/hub/stored-file.ts';
import { commit, TestHub } from '../support/hub/test-hub.ts';
import { findProgram, has } from '../support/needs.ts';

const model = storedFile('model.bin', someBytes(24_000_000));
const small = storedFile('config.json', Buffer.from('{"a":1}'));

/** A self-signed certificate for this machine. */
async function makeCertificate() {
  const folder = await tempFolder();
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-days', '1', ...curve, '-keyout', keyFile, '-out', certFile, ...subject],
  ]);
  expect(status).toBe(0);
  return { certFile, cert: await readFile(certFile), key: await readFile(keyFile) };
}

/** The output of a download process that trusts the certificates in a file. */
function download(url: string, cache: string, certFile: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [downloadChild, url, cache], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certFile },
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    child.once('close', () => resolve(said));
  });
}

describe.runIf(has('openssl', findProgram('openssl') !== null))('a hub with TLS', () => {
  it('works, resumes after a broken connection, and is verified like any other', async () => {
    const { certFile, cert, key } = await makeCertificate();
    const hub = await TestHub.start([model, small], { cert, key });
    hub.fail(model.path, { kind: 'cut', afterBytes: 10_000_000 });
    const cache = await tempFolder();
    expect(await download(hub.url, cache, certFile)).toBe('done \n');
    const snapshot = join(cache, 'models--ada--tiny', 'snapshots', commit);
    expect((await readdir(snapshot)).sort()).toEqual(['config.json', 'model.bin']);
    expect(model.bytes.equals(await readFile(join(snapshot, model.path)))).toBe(true);
    const ranges = hub.sent.filter(({ path }) => path === model.path).map(({ range }) => range);
    expect(ranges).toEqual([null, expect.stringMatching(/^bytes=[0-9]+-$/)]);
    // A broken TLS connection may discard its last records, which the hub has sent and the client has not read.
    const resumedAt = Number(/[0-9]+/.exec(String(ranges[1]))?.[0]);
    expect(resumedAt).toBeGreaterThan(8_000_000);
    expect(resumedAt).toBeLessThanOrEqual(10_000_000);

    hub.fail(model.path, { kind: 'tampered' }, { kind: 'tampered' });
    expect(await download(hub.url, await tempFolder(), certFile)).toMatch(/^failed .*model\.bin/);
  });

  it('is refused if its certificate is unknown', async () => {
    const { cert, key } = await makeCertificate();
    const hub = await TestHub.start([model], { cert, key });
    const cache = await tempFolder();
    const said = await download(hub.url, cache, '');
    expect(said).toMatch(/^failed .*127\.0\.0\.1/);
    expect(hub.asked).toEqual([]);
  });
});
