import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { beforeAll, expect, it } from 'vitest';

import { type Hob, launchHob } from '../support/hob.ts';

const mostScriptBytes = 250_000;

let hob: Hob;
let page: Response;
let html: string;
/** Every JavaScript file of the console by path, including imported files. */
const scripts = new Map<string, string>();

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'hob-test-'));
  hob = await launchHob({ home });
  page = await fetch(hob.url);
  html = await page.text();
  const named = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path = '']) => path);
  for (const path of named) await gather(path);
  return async () => {
    await hob.stop();
    await rm(home, { recursive: true });
  };
});

async function gather(path: string): Promise<void> {
  if (scripts.has(path)) return;
  const answer = await fetch(hob.url + path);
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
    path,
    200,
    'application/javascript; charset=utf-8',
  ]);
  const text = await answer.text();
  scripts.set(path, text);
  for (const [, , name = ''] of text.matchAll(/(["'`])(?:\.\/|assets\/)([\w-]+\.js)\1/g))
    await gather(`/assets/${name}`);
}

it('the policy allows only scripts and requests of the service itself', () => {
  const policy = page.headers.get('content-security-policy') ?? '';
  const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ', 1)[0], rule] as const));
  expect(rules.get('script-src')).toBe("script-src 'self'");
  expect(rules.get('default-src')).toBe("default-src 'none'");
  expect(rules.get('connect-src')).toBe("connect-src 'self'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  expect(html).not.toMatch(/<script(?![^>]* src=)|\son\w+=|(?:src|href)="(?!\/)/);
});

it('stays within the size limit without the terminal', () => {
  const sizes = [...scripts].map(([path, text]) => ({ path, bytes: gzipSync(text, { level: 9 }).length }));
  const terminal = sizes.filter(({ path }) => path.includes('/terminal-screen-'));
  // Each page and the terminal are separate files.
  expect(terminal).toHaveLength(1);
  expect(sizes.length).toBeGreaterThan(9);
  const rest = sizes.filter((each) => !terminal.includes(each)).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(rest).toBeGreaterThan(100_000);
  expect(rest).toBeLessThan(mostScriptBytes);
  const isEmulator = (text: string) => text.includes('xterm-viewport');
  expect([...scripts].filter(([, text]) => isEmulator(text)).map(([path]) => path)).toEqual(
    terminal.map(({ path }) => path),
  );
});

it('serves the page only at console paths, always with the policy', async () => {
  for (const path of ['/index.html', '/INDEX.HTML', '/assets/', '/assets/../index.html', '/%69ndex.html'])
    expect([path, (await fetch(hob.url + path)).status]).toEqual([path, 404]);
  for (const path of ['/', '/runs', '/docs', '/models'])
    expect((await fetch(hob.url + path)).headers.get('content-security-policy')).toBe(
      page.headers.get('content-security-policy'),
    );
});

it('serves the page with 404 for unknown paths to browsers, and the JSON error to programs', async () => {
  const ask = (path: string, accept: string) => fetch(hob.url + path, { headers: { accept } });
  const opened = await ask('/nope?x=1', 'text/html,application/xhtml+xml,*/*;q=0.8');
  expect([opened.status, opened.headers.get('x-hob-error')]).toEqual([404, 'path-unknown']);
  expect(opened.headers.get('content-security-policy')).toBe(page.headers.get('content-security-policy'));
  expect(await opened.text()).toBe(html);
  for (const answer of [
    await ask('/nope', '*/*'),
    await ask('/api/nope', 'text/html'),
    await ask('/assets/nope.js', 'text/html'),
    await fetch(`${hob.url}/nope`, { method: 'POST', headers: { accept: 'text/html' } }),
  ]) {
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      status: 'error',
      message: expect.stringMatching(/^No such path: /),
    });
  }
});

it('shows a loading text before any script has loaded, and serves gzip to clients that accept it', async () => {
  expect(html).toContain('Loading…');
  const [path = ''] = [...scripts.keys()].filter((each) => each.startsWith('/assets/index-'));
  const answer = (encoding: string) => fetch(hob.url + path, { headers: { 'accept-encoding': encoding } });
  const packed = await answer('gzip, deflate');
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(packed.headers.get('vary')).toBe('accept-encoding');
  expect(packed.headers.get('content-type')).toBe('application/javascript; charset=utf-8');
  expect(Number(packed.headers.get('content-length'))).toBeLessThan((scripts.get(path) ?? '').length / 2);
  expect(await packed.text()).toBe(scripts.get(path));
  const plain = await answer('identity');
  expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, scripts.get(path)]);
  expect((await fetch(`${hob.url}${path}.gz`)).status).toBe(404);
});
