import type { IncomingMessage } from 'node:http';

import { describe, expect, it } from 'vitest';

import { serve } from '../browser/servers.ts';
import { startBrowser } from '../browser/siege.ts';
import { startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const executablePath = findProgram('chromium') ?? '';
const token = 'correct-horse-battery-staple';

/** Requests that a page can cause. `url` is the address of the target, and has a query. */
const shots = {
  'fetch-text': `fetch(url, { method: 'POST', mode: 'no-cors', body: '{}' })`,
  'fetch-form': `fetch(url, { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ a: 1 }), credentials: 'include' })`,
  'fetch-keepalive': `fetch(url, { method: 'POST', mode: 'no-cors', body: 'x', keepalive: true, referrerPolicy: 'no-referrer' })`,
  'fetch-get': `fetch(url, { mode: 'no-cors' })`,
  xhr: `new Promise((done) => { const r = new XMLHttpRequest(); r.onloadend = done; r.open('POST', url); r.send('{}'); })`,
  'beacon-text': `navigator.sendBeacon(url, '{}')`,
  'beacon-blob': `navigator.sendBeacon(url, new Blob(['{}'], { type: 'text/plain' }))`,
  form: `submit(url, 'application/x-www-form-urlencoded', '')`,
  'form-text': `submit(url, 'text/plain', '')`,
  'form-multipart': `submit(url, 'multipart/form-data', '')`,
  image: `element('img', { src: url })`,
  script: `element('script', { src: url })`,
  frame: `element('iframe', { src: url })`,
  'sandboxed-form': `element('iframe', { sandbox: 'allow-scripts allow-forms', srcdoc:
    '<form method="post" action="' + url + '"><input name="a" value="1"></form><script>document.forms[0].submit()</scr' + 'ipt>' })`,
  ping: `element('a', { href: '#x', ping: url }).click()`,
} as const;
/** These need a preflight, which is the only request that arrives. */
const preflightShots = {
  'fetch-token': `fetch(url, { method: 'POST', headers: { authorization: 'Bearer ${token}' }, body: '{}' })`,
  'fetch-json': `fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`,
} as const;

const page = `<!doctype html><meta charset="utf-8"><body><script>
function element(name, attributes) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return document.body.appendChild(made);
}
function submit(url, enctype) {
  const name = 'frame-' + Math.random();
  element('iframe', { name });
  const form = element('form', { method: 'post', action: url, enctype, target: name });
  form.innerHTML = '<input name="a" value="1">';
  form.submit();
}
</script></body>`;

async function startScene() {
  const folder = await tempFolder();
  await writeScript(folder, 'receiver');
  const hob = await startHob({ scripts: [folder], settings: 'hooks_listen = "127.0.0.1:0"\n' });
  await hob.send('PUT', '/api/secrets/test', JSON.stringify({ value: token }));
  const fields = { script: 'receiver', kind: 'webhook', secret: 'test' };
  await hob.send('PUT', '/api/triggers/push', JSON.stringify(fields));
  const address = await until('the listener is open', async () => {
    const { body } = await hob.get('/api/triggers/push');
    return typeof body.address === 'string' ? body.address : false;
  });
  return { hob, address };
}

const shotOf = ({ url = '' }: IncomingMessage) => new URL(url, 'http://x').searchParams.get('shot');

describe.runIf(has('chromium', executablePath !== ''))('a web page', () => {
  it('of another site starts no run, with any request that it can send', async () => {
    const { hob, address } = await startScene();
    // Without an unprotected target, a shot that the browser never sends would count as refused.
    const hits = new Map<string, string>();
    const control = await serve(
      (request, response) => {
        hits.set(`${shotOf(request)}`, `${request.method}`);
        request.resume().on('end', () => response.end());
      },
      ['127.0.0.1'],
    );
    const site = await serve(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      },
      ['127.0.0.1'],
    );
    const browser = await startBrowser(executablePath);
    const tab = await browser.newPage();
    await tab.goto(`http://evil.test:${site.port}/`);
    const targets = [`http://127.0.0.1:${control.port}/hook/push`, address];
    const all = { ...shots, ...preflightShots };
    for (const [name, shot] of Object.entries(all))
      for (const target of targets)
        await tab.evaluate(
          `void (async () => { const url = '${target}?shot=${name}'; await (${shot}); })().catch(() => {})`,
        );
    await until(
      'an unprotected target received every shot',
      async () => hits.size === Object.keys(all).length,
    );
    expect([...hits].filter(([name]) => name in preflightShots).map(([, method]) => method)).toEqual([
      'OPTIONS',
      'OPTIONS',
    ]);

    const refusals = async () =>
      (await hob.get('/api/triggers/push/slots?limit=100')).body.items as {
        reason: string;
        outcome: string;
      }[];
    await until('the listener refused every shot', async () => (await refusals()).length >= hits.size);
    expect(new Set((await refusals()).map(({ outcome, reason }) => `${outcome} ${reason}`))).toEqual(
      new Set(['refused browser']),
    );
    expect((await hob.get('/api/runs')).body).toMatchObject({ items: [] });
  });

  it('starts no run although it knows the token and shares the origin of the listener', async () => {
    const { hob, address } = await startScene();
    const { port } = new URL(address);
    // Otherwise the browser itself keeps the page from the local network.
    const browser = await startBrowser(executablePath, [
      `--ip-address-space-overrides=127.0.0.1:${port}=public`,
    ]);
    const tab = await browser.newPage();
    // DNS rebinding: the page was loaded before its name was made to point to this machine, so there is no preflight.
    await tab.route(`http://evil.test:${port}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: page }),
    );
    await tab.goto(`http://evil.test:${port}/`);
    const status = await tab.evaluate(
      `fetch('/hook/push', { method: 'POST', headers: { authorization: 'Bearer ${token}' }, body: '{}' }).then((answer) => answer.status)`,
    );
    expect(status).toBe(403);
    expect((await hob.get('/api/runs')).body).toMatchObject({ items: [] });
    const sent = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{}',
    });
    expect(sent.status).toBe(202);
  });
});
