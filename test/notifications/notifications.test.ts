import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { noted, projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';

interface Item {
  notification_id: string;
  notify_type: string;
  message: string | null;
  duration: number;
  show_close: boolean;
  run_id: string | null;
  script_id: string | null;
  script_name: string | null;
  at: string;
}

type Getter = { get: (path: string) => Promise<{ body: Record<string, unknown> }> };

async function list(hob: Getter, query = ''): Promise<{ items: Item[]; next: string | null }> {
  const { body } = await hob.get(`/api/notifications${query}`);
  const { items, next } = body;
  if (!Array.isArray(items)) throw new Error(JSON.stringify(body));
  return { items, next: next === null ? null : String(next) };
}

const listed = (hob: Getter, count: number) =>
  until(`${count} notifications are listed`, async () => {
    const { items } = await list(hob);
    return items.length >= count ? items : undefined;
  });

describe('the list of notifications', () => {
  it('has all notifications, the newest first, with the run that sent them', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'tea', {
      name: '泡茶',
      language: 'python',
      entry: python(
        'call("/api/notify", {"notify_type": "success", "message": "茶泡好了\\u0000\\u0007", "duration": 0, "show_close": True})',
      ),
    });
    const hob = await startHob({ scripts: [scripts] });
    expect(await list(hob)).toEqual({ items: [], next: null });
    await hob.post('/api/notify', { notify_type: 'info' });
    const run = await hob.run(id);
    const { items, next } = await list(hob);
    expect(next).toBeNull();
    expect(items).toEqual([
      {
        notification_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        notify_type: 'success',
        message: '茶泡好了\0\u0007',
        duration: 0,
        show_close: true,
        run_id: run.headers.get('x-hob-run-id'),
        script_id: id,
        script_name: '泡茶',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
      {
        notification_id: expect.any(String),
        notify_type: 'info',
        message: null,
        duration: 5000,
        show_close: false,
        run_id: null,
        script_id: null,
        script_name: null,
        at: expect.any(String),
      },
    ]);
  });

  it('has the last 200, also after a restart, in pages', async () => {
    const home = await tempFolder();
    const first = await startHob({ home });
    for (let number = 0; number < 205; number++)
      await first.post('/api/notify', { notify_type: 'info', message: String(number), duration: 1e15 });
    await first.stop('SIGKILL');
    const hob = await startHob({ home });
    const seen: Item[] = [];
    let query = '?limit=90';
    for (;;) {
      const { items, next } = await list(hob, query);
      seen.push(...items);
      if (next === null) break;
      query = `?limit=90&cursor=${next}`;
    }
    expect(seen.map(({ message }) => Number(message))).toEqual(
      Array.from({ length: 200 }, (_, at) => 204 - at),
    );
    expect(new Set(seen.map(({ notification_id }) => notification_id)).size).toBe(200);
    expect(seen[0]?.duration).toBe(1e15);
    expect((await list(hob, '?limit=200')).items).toEqual(seen);
  });

  it('refuses invalid requests, and names the field', async () => {
    const hob = await startHob();
    for (const [query, named] of [
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=x', 'limit'],
      ['cursor=x', 'cursor'],
      ['cursor=NSAyMDI0LTA1LTAxVDEyOjAwOjAwLjAwMFo', 'cursor'],
      ['what=1', 'what'],
    ]) {
      const answer = await hob.get(`/api/notifications?${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.body).toMatchObject({ status: 'error', code: 'field-invalid' });
      expect(answer.body.message).toContain(named);
    }
  });

  it('no longer has those of a deleted run', async () => {
    const scripts = await tempFolder();
    const entry = python('call("/api/notify", {"notify_type": "info", "message": "from a run"})');
    const id = await writeScript(scripts, 'sender', { language: 'python', entry });
    const hob = await startHob({ scripts: [scripts] });
    const runId = (await hob.run(id)).headers.get('x-hob-run-id');
    await hob.post('/api/notify', { notify_type: 'info', message: 'from outside' });
    expect((await list(hob)).items).toHaveLength(2);
    expect((await fetch(`${hob.url}/api/runs/${runId}`, { method: 'DELETE' })).status).toBe(200);
    expect((await list(hob)).items).toMatchObject([{ message: 'from outside' }]);
  });
});

it('the script in the documentation works as described', async () => {
  const text = await readFile(join(projectRoot, 'docs', 'desktop.md'), 'utf8');
  const [, program = ''] = /^```python\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'documented', { language: 'python', entry: ['main.py', program] });
  const hob = await startHob({ scripts: [scripts] });
  expect((await hob.run(id)).body).toMatchObject({ exit_code: 0 });
  expect((await list(hob)).items).toMatchObject([
    { message: '3 files moved', duration: 8000, show_close: true, script_name: 'documented' },
  ]);
});

describe('notify_on', () => {
  it('makes Hob report the ends of asynchronous runs, and of no others', async () => {
    const scripts = await tempFolder();
    const write = (name: string, notifyOn: string, body: string) =>
      writeScript(scripts, name, { entry: bash(body), runtime: `notify_on = "${notifyOn}"` });
    const good = await write('good', 'always', 'echo \'{"code":0,"msg":"3 files moved"}\' > "$output"');
    const bad = await write(
      'bad',
      'failure',
      'echo \'{"code":5,"msg":"no such folder"}\' > "$output"; exit 5',
    );
    const silent = await write('silent', 'never', 'exit 5');
    const hob = await startHob({ scripts: [scripts], env: { LC_ALL: 'C' } });
    const start = async (id: string) => {
      const { body } = await hob.post('/api/execute', { script_id: id });
      return (await hob.ended(String(body.run_id))).run_id;
    };
    for (const id of [good, bad, silent]) await hob.run(id);
    await start(silent);
    const [badRun, goodRun] = [await start(bad), await start(good)];
    expect(await listed(hob, 2)).toMatchObject([
      {
        notify_type: 'success',
        message: '3 files moved',
        duration: 5000,
        run_id: goodRun,
        script_name: 'good',
      },
      {
        notify_type: 'error',
        message: 'no such folder',
        duration: 10_000,
        run_id: badRun,
        script_name: 'bad',
      },
    ]);
  });

  it('reports no failure if the run was cancelled', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'waits', {
      entry: bash('exec sleep 600'),
      runtime: 'notify_on = "failure"',
    });
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.post('/api/execute', { script_id: id });
    await hob.post(`/api/runs/${body.run_id}/cancel`, {});
    expect(await hob.ended(String(body.run_id))).toMatchObject({ end_cause: 'cancelled' });
    expect((await list(hob)).items).toEqual([]);
  });

  it('also reports an end that happened while no service ran, in the language of the desktop', async () => {
    const [home, scripts, marks] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const body = `touch "${marks}/begun"; until [ -e "${marks}/go" ]; do sleep 0.02; done; touch "${marks}/over"`;
    const id = await writeScript(scripts, 'long', { entry: bash(body), runtime: 'notify_on = "always"' });
    const first = await startHob({ home, scripts: [scripts] });
    const { run_id: runId } = (await first.post('/api/execute', { script_id: id })).body;
    await fileThere(`${marks}/begun`);
    await first.stop('SIGKILL');
    await writeFile(`${marks}/go`, '');
    await noted(home, String(runId));
    const hob = await startHob({ home, scripts: [scripts], env: { LC_ALL: 'zh_CN.UTF-8' } });
    const items = await listed(hob, 1);
    expect(items).toMatchObject([{ notify_type: 'success', run_id: runId, script_name: 'long' }]);
    expect(items[0]?.message).toMatch(/^已完成，用时 [\d.]+ (?:毫)?秒$/);
  });
});
