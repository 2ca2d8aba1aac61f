import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { startInbox } from '../support/inbox-scene.ts';
import { until } from '../support/until.ts';

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a folder trigger', () => {
  it('runs its script once for each file that arrives, also if its name is unusual', async () => {
    const scene = await startInbox({ before: { 'old.txt': 'before the trigger' } });
    await scene.watching();
    const names = ['a b.txt', '中文.txt', 'line\nbreak.txt', '-dash.txt', "quote'.txt"];
    for (const name of names) await writeFile(join(scene.inbox, name), name);
    for (const name of ['.hidden', 'x.part', 'y.crdownload', 'z.tmp', 'w~', 'v.download'])
      await writeFile(join(scene.inbox, name), 'not yet');
    await mkdir(join(scene.inbox, 'folder.txt'));
    const seen = await scene.untilProcessed(names.length);
    await rename(join(scene.inbox, 'x.part'), join(scene.inbox, 'x.mp4'));
    const all = await scene.untilProcessed(names.length + 1);
    expect(all.map(({ path }) => path).sort()).toEqual(
      [...names, 'x.mp4'].map((name) => join(scene.inbox, name)).sort(),
    );
    expect(new Set(seen.map(({ run }) => run)).size).toBe(names.length);
    for (const { path, sha256 } of all) expect(sha256).toBe(sha(await readFile(path, 'utf8')));
    const run = await scene.hob.ended(all[0]?.run ?? '');
    expect(run).toMatchObject({ origin: 'folder', trigger_id: 'inbox', state: 'succeeded' });
    const firings = await scene.firings();
    expect(firings.map(({ outcome, detail }) => [outcome, detail]).sort()).toEqual(
      all.map(({ path }) => ['fired', path]).sort(),
    );
    expect(await scene.trigger()).toMatchObject({ state: 'on', problems: [], next: [] });
  });

  it('hands over files that arrive while the service is down, and no file twice', async () => {
    const scene = await startInbox({ before: { 'old.txt': 'old' } });
    await scene.watching();
    await writeFile(join(scene.inbox, 'first.txt'), '1');
    await scene.untilProcessed(1);
    await scene.restart('SIGKILL', () => writeFile(join(scene.inbox, 'second.txt'), '2'));
    await scene.untilProcessed(2);
    await appendFile(join(scene.inbox, 'first.txt'), 'more');
    await scene.untilProcessed(3);
    await scene.restart();
    await writeFile(join(scene.inbox, 'last.txt'), '3');
    const all = await scene.untilProcessed(4);
    expect(all.map(({ path }) => path.slice(scene.inbox.length + 1))).toEqual([
      'first.txt',
      'second.txt',
      'first.txt',
      'last.txt',
    ]);
  });

  it('starts when its folder appears, and says so until then', async () => {
    const scene = await startInbox({ isAbsent: true });
    await scene.watching();
    const missing = await until('the problem is shown', async () => {
      const trigger = await scene.trigger();
      return JSON.stringify(trigger).includes('does not exist yet') && trigger;
    });
    expect(missing.state).toBe('on');
    await mkdir(scene.inbox);
    await writeFile(join(scene.inbox, 'a.txt'), 'a');
    await scene.untilProcessed(1);
    expect((await scene.trigger()).problems).toEqual([]);
    const away = `${scene.inbox} away`;
    await rename(scene.inbox, away);
    await until('the folder is missed', async () =>
      JSON.stringify(await scene.trigger()).includes('does not exist yet'),
    );
    await writeFile(join(away, 'b.txt'), 'b');
    await rename(away, scene.inbox);
    const all = await scene.untilProcessed(2);
    expect(all.map(({ path }) => path.at(-5))).toEqual(['a', 'b']);
  });

  it('moves files to done or failed, and overwrites nothing', async () => {
    const scene = await startInbox({
      fields: 'after = "move"\nrecursive = true\nfilters = [".txt"]',
      each: 'if "bad" in path: sys.exit(3)',
    });
    await scene.watching();
    await mkdir(join(scene.inbox, 'sub'));
    await writeFile(join(scene.inbox, 'sub', 'good.txt'), '1');
    await writeFile(join(scene.inbox, 'bad.TXT'), '2');
    await writeFile(join(scene.inbox, 'other.mp4'), 'x');
    const inSub = (folder: string): Promise<string[]> => readdir(join(scene.inbox, folder)).catch(() => []);
    await until(
      'both are moved',
      async () => (await inSub('sub/done')).length === 1 && (await inSub('failed')).length === 1,
    );
    await writeFile(join(scene.inbox, 'sub', 'good.txt'), '3');
    await until('the second is moved', async () => (await inSub('sub/done')).length === 2);
    expect((await inSub('sub/done')).sort()).toEqual(['good (2).txt', 'good.txt']);
    expect(await readFile(join(scene.inbox, 'sub/done/good (2).txt'), 'utf8')).toBe('3');
    expect(await readdir(scene.inbox)).toEqual(['failed', 'other.mp4', 'sub']);
    await scene.restart('SIGKILL');
    await writeFile(join(scene.inbox, 'last.txt'), '4');
    await until('the last is moved', async () => (await inSub('done')).includes('last.txt'));
    expect(await scene.processed()).toHaveLength(4);
  });

  it('shares a run among files that arrive together', async () => {
    const scene = await startInbox({ fields: 'batch = "1s"' });
    await scene.watching();
    // Hob finds all of them at the same time.
    await scene.restart('SIGTERM', async () => {
      for (let index = 0; index < 20; index++) await writeFile(join(scene.inbox, `${index}.txt`), `${index}`);
    });
    const all = await scene.untilProcessed(20);
    expect(new Set(all.map(({ run }) => run)).size).toBe(1);
    expect(new Set(all.map(({ path }) => path)).size).toBe(20);
  });

  it('stops handing over a file that the script itself changes', async () => {
    const scene = await startInbox({ each: 'open(path, "a").write("changed")' });
    await scene.watching();
    await writeFile(join(scene.inbox, 'a.txt'), 'a');
    const skipped = await until('the file is left', async () =>
      (await scene.firings()).find(({ outcome }) => outcome === 'skipped'),
    );
    expect(skipped).toMatchObject({ reason: 'changed-by-run', detail: join(scene.inbox, 'a.txt') });
    await writeFile(join(scene.inbox, 'b.txt'), 'b');
    await scene.untilProcessed(4);
    const count = (await scene.processed()).filter(({ path }) => path.endsWith('a.txt')).length;
    expect(count).toBe(3);
  });

  it('hands over nothing while it is paused, and afterwards the files that arrived meanwhile', async () => {
    const scene = await startInbox();
    const other = `${scene.inbox} of another trigger`;
    await mkdir(other);
    const send = (method: string, id: string, fields: Record<string, unknown>) =>
      scene.hob.send(method, `/api/triggers/${id}`, JSON.stringify(fields));
    const second = { script: 'recorder', kind: 'folder', path: other, settle: '200ms' };
    expect((await send('PUT', 'other', second)).status).toBe(200);
    await scene.watching();
    await scene.watching('other');
    expect((await send('PATCH', 'inbox', { enabled: false })).status).toBe(200);
    const [waits, later] = [join(scene.inbox, 'waits.txt'), join(other, 'later.txt')];
    await writeFile(waits, '1');
    await writeFile(later, '2');
    expect(await scene.untilProcessed(1)).toMatchObject([{ path: later }]);
    expect(await scene.firings()).toEqual([]);
    expect((await send('PATCH', 'inbox', { enabled: true })).status).toBe(200);
    expect(await scene.untilProcessed(2)).toMatchObject([{ path: later }, { path: waits }]);
  });
});
