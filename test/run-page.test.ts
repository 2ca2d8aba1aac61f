import { describe, expect, it } from 'vitest';
import { readToken } from '../src/shared/token-file.ts';
import { serve } from './browser/servers.ts';
import { startBrowser } from './browser/siege.ts';
import { type Hob, startHob, tempFolder } from './support/hob.ts';
import { findProgram, has } from './support/needs.ts';
import { bash, writeScript } from './support/scripts.ts';
import { until } from './support/until.ts';

const executablePath = findProgram('chromium') ?? '';
const hostile = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">&amp;"'`;

interface Scene {
  hob: Hob;
  run: (id: string) => Promise<string>;
  good: string;
  bad: string;
  long: string;
}

/** A service with scripts that succeed, fail with hostile words, and last until they are cancelled. */
async function stage(): Promise<Scene> {
  const scripts = await tempFolder();
  const envelope = JSON.stringify({ code: 5, msg: `no such folder ${hostile}` });
  const good = await writeScript(scripts, 'good', {
    name: '整理 <b>下载</b>',
    entry: bash('seq 1 300; echo 中文; echo oops >&2; echo \'{"code":0,"msg":"3 files moved"}\' > "$output"'),
  });
  const bad = await writeScript(scripts, 'bad', {
    entry: bash(`cat <<'END'\n${hostile}\nEND\ncat > "$output" <<'END'\n${envelope}\nEND\nexit 5`),
  });
  const long = await writeScript(scripts, 'long', { entry: bash('echo begun; exec sleep 600') });
  const hob = await startHob({ scripts: [scripts] });
  const run = async (id: string) => (await hob.run(id)).headers.get('x-hob-run-id') ?? '';
  return { hob, run, good, bad, long };
}

const page = async (hob: Hob, path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(hob.url + path, { headers });
  return { answer, text: await answer.text() };
};

describe('the page of a run', () => {
  it('says what became of it, in the language of its reader, and lets nothing in it do anything', async () => {
    const { hob, run, good, bad } = await stage();
    const runId = await run(good);
    const { answer, text } = await page(hob, `/runs/${runId.toUpperCase()}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('x-hob-run-id')).toBe(runId);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    expect(policy).toContain("frame-ancestors 'none'");
    for (const seen of ['整理 &lt;b&gt;下载&lt;/b&gt;', 'Succeeded', '3 files moved', '中文', 'oops'])
      expect(text).toContain(seen);
    for (const link of [`/api/runs/${runId}"`, `/api/runs/${runId}/stdout"`, `/api/runs/${runId}/stderr"`])
      expect(text).toContain(`href="${link}`);
    expect(text).not.toContain('http-equiv="refresh"');

    const failed = await page(hob, `/runs/${await run(bad)}`, { 'accept-language': 'zh-CN' });
    for (const seen of ['失败', '退出码', '<html lang="zh-Hans">', '&lt;script&gt;document'])
      expect(failed.text).toContain(seen);
    expect(failed.text).not.toMatch(/<script|<img/);
  });

  it('of a run that is not there is a page too', async () => {
    const hob = await startHob();
    for (const id of ['2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11', '%3Cscript%3Ex%3C%2Fscript%3E']) {
      const { answer, text } = await page(hob, `/runs/${id}`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('x-hob-error')).toBe('run-unknown');
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).toContain('There is no such run');
      expect(text).not.toContain('<script');
    }
  });

  it('is looked at again while the run lasts', async () => {
    const { hob, long } = await stage();
    const { body } = await hob.post('/api/execute', { script_id: long });
    const text = await until('its output is there', async () => {
      const seen = await page(hob, `/runs/${body.run_id}`);
      return seen.text.includes('begun') ? seen.text : undefined;
    });
    expect(text).toContain('<meta http-equiv="refresh" content="2">');
    expect(text).toContain('Running');
    await hob.post(`/api/runs/${body.run_id}/cancel`, {});
    await hob.ended(String(body.run_id));
    const over = await page(hob, `/runs/${body.run_id}`);
    expect(over.text).not.toContain('http-equiv="refresh"');
    expect(over.text).toContain('It was cancelled');
  });

  it('needs the token where everything does', async () => {
    const hob = await startHob({ settings: 'token = true\n' });
    const { answer } = await page(hob, '/runs/2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11');
    expect([answer.status, answer.headers.get('x-hob-error')]).toEqual([401, 'door-token']);
    const bearer = { authorization: `Bearer ${readToken(hob.home)}` };
    const session = await hob.post('/api/session', {}, bearer);
    const [cookie = ''] = (session.headers.get('set-cookie') ?? '').split(';');
    for (const headers of [bearer, { cookie }]) {
      const admitted = await page(hob, '/runs/2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11', headers);
      expect([admitted.answer.status, admitted.answer.headers.get('x-hob-error')]).toEqual([
        404,
        'run-unknown',
      ]);
    }
  });
});

describe.runIf(has('chromium', executablePath !== ''))('in a browser, the page of a run', () => {
  it('opens by its address, shows what is hostile as text, and comes again by itself', {
    timeout: 60_000,
  }, async () => {
    const { hob, run, good, bad, long } = await stage();
    const browser = await startBrowser(executablePath);
    const tab = await browser.newPage();
    const complaints: string[] = [];
    tab.on('console', (message) => complaints.push(message.text()));
    const opened = await tab.goto(`${hob.url}/runs/${await run(bad)}`);
    expect(opened?.status()).toBe(200);
    expect(await tab.title()).toBe('✗ Failed · bad');
    expect(await tab.locator('.message').textContent()).toBe(`no such folder ${hostile}`);
    expect((await tab.locator('pre').first().textContent())?.trim()).toBe(hostile);
    expect(await tab.locator('script, img').count()).toBe(0);
    // The style counts, so its hash is right.
    expect(await tab.evaluate(`getComputedStyle(document.querySelector('main')).maxWidth`)).toBe('896px');
    expect(complaints).toEqual([]);
    await tab.getByText('Record (JSON)').click();
    expect(await tab.locator('body').textContent()).toContain('"exit_code":5');

    await tab.goto(`${hob.url}/runs/${await run(good)}`);
    const bottomOf = (what: string) =>
      tab.evaluate(`document.querySelector('${what}').getBoundingClientRect().bottom`);
    // Of what is too long the end is in sight.
    expect(Number(await bottomOf('pre'))).toBeLessThanOrEqual(Number(await bottomOf('.tail')));

    const { body } = await hob.post('/api/execute', { script_id: long });
    await tab.goto(`${hob.url}/runs/${body.run_id}`);
    expect(await tab.locator('.state').textContent()).toBe('▶ Running');
    await hob.post(`/api/runs/${body.run_id}/cancel`, {});
    await tab.getByText('It was cancelled').waitFor();
  });

  it('is neither framed nor read by another site', { timeout: 60_000 }, async () => {
    const { hob, run, good } = await stage();
    const target = `${hob.url}/runs/${await run(good)}`;
    const { port } = await serve(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(`<iframe src="${target}"></iframe><a href="${target}">see</a>`);
      },
      ['127.0.0.1'],
    );
    const browser = await startBrowser(executablePath);
    const tab = await browser.newPage();
    const framed = tab.waitForResponse(target);
    await tab.goto(`http://evil.test:${port}/`);
    expect((await framed).status()).toBe(403);
    const read = await tab.evaluate(
      `fetch('${target}', { mode: 'no-cors' }).then((answer) => answer.type + answer.status, () => 'refused')`,
    );
    expect(read).toBe('refused');
    const [followed] = await Promise.all([tab.waitForResponse(target), tab.getByText('see').click()]);
    expect(followed.status()).toBe(403);
  });
});
