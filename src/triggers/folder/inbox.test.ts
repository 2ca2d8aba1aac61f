import {
  appendFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openInbox, queueFull } from '../../../test/support/inbox-in-process.ts';
import { until } from '../../../test/support/until.ts';
import { AppError } from '../../shared/errors.ts';
import { FileLooks, type Look } from './found-file.ts';
import { writerProbe } from './open-writers.ts';

const reasons = (scene: Awaited<ReturnType<typeof openInbox>>) =>
  scene.store
    .page('inbox', { before: null, limit: 100 })
    .firings.map(({ outcome, reason }) => reason ?? outcome);

describe('the files of a folder trigger', () => {
  it('are not those that were there before it, unless they change', async () => {
    const scene = await openInbox({}, { before: (folder) => writeFile(join(folder, 'old.txt'), 'old') });
    await writeFile(join(scene.folder, 'new.txt'), 'new');
    expect(await scene.handed(1)).toEqual([join(scene.folder, 'new.txt')]);
    await writeFile(join(scene.folder, 'old.txt'), 'changed');
    expect((await scene.handed(2)).at(-1)).toBe(join(scene.folder, 'old.txt'));
  });

  it('are those that a wider filter lets in only if they arrive after it', async () => {
    const scene = await openInbox({ filters: ['.txt'] });
    await writeFile(join(scene.folder, 'film.mp4'), 'x');
    await scene.reopen({ filters: ['.txt', '.mp4'] });
    await until('the filter is in force', async () => scene.store.position('inbox')?.includes('.mp4'));
    await writeFile(join(scene.folder, 'next.mp4'), 'x');
    expect(await scene.handed(1)).toEqual([join(scene.folder, 'next.mp4')]);
  });

  it('include one that leaves and comes back, and links to files', async () => {
    const scene = await openInbox();
    const [file, away] = [join(scene.folder, 'a.txt'), join(scene.folder, '..', 'a.txt')];
    await writeFile(file, 'a');
    await scene.handed(1);
    scene.end('run-1');
    await rename(file, away);
    await until('it is forgotten', async () => scene.store.handed('inbox').length === 0);
    await rename(away, file);
    await scene.handed(2);
    await symlink(file, join(scene.folder, 'link.txt'));
    expect((await scene.handed(3)).at(-1)).toBe(join(scene.folder, 'link.txt'));
  });

  it('wait while a process has them open for writing, and are given up if it removes them', async () => {
    const scene = await openInbox({}, { parts: { probe: writerProbe } });
    const path = join(scene.folder, 'slow.txt');
    const file = await open(path, 'w');
    await file.write('half');
    const temporary = await open(join(scene.folder, 'removed.txt'), 'w');
    await writeFile(join(scene.folder, 'quick.txt'), 'x');
    expect(await scene.handed(1)).toEqual([join(scene.folder, 'quick.txt')]);
    await until('the status names the process', async () => {
      scene.skip(61_000);
      return scene.inbox.problem?.message.en.includes(`${process.pid}`);
    });
    await unlink(join(scene.folder, 'removed.txt'));
    await temporary.close();
    await file.close();
    expect(await scene.handed(2)).toHaveLength(2);
    expect(scene.inbox.problem).toBeNull();
    expect(reasons(scene)).toEqual(['fired', 'fired']);
  });

  it('wait while a browser holds their place with an empty file', async () => {
    const scene = await openInbox();
    await writeFile(join(scene.folder, 'x1y2.mp4.part'), 'half');
    await writeFile(join(scene.folder, 'film.mp4'), '');
    await writeFile(join(scene.folder, 'other.txt'), 'x');
    expect(await scene.handed(1)).toEqual([join(scene.folder, 'other.txt')]);
    await rename(join(scene.folder, 'x1y2.mp4.part'), join(scene.folder, 'film.mp4'));
    expect((await scene.handed(2)).at(-1)).toBe(join(scene.folder, 'film.mp4'));
  });

  it.runIf(process.platform === 'linux')('are left out, once, if their name is not valid UTF-8', async () => {
    const scene = await openInbox();
    const bytes = Buffer.concat([
      Buffer.from(`${scene.folder}/caf`),
      Buffer.from([0xe9]),
      Buffer.from('.txt'),
    ]);
    await writeFile(bytes, 'x');
    await until('it is left out', async () => reasons(scene).includes('not-utf8'));
    await scene.reopen();
    await writeFile(join(scene.folder, 'good \ufffd.txt'), 'x');
    await scene.handed(1);
    expect(reasons(scene)).toEqual(['fired', 'not-utf8']);
    expect(scene.notices.map(({ en }) => en)).toEqual([expect.stringContaining('caf\\xE9.txt')]);
  });

  it('are found in new subfolders, but not in hidden ones or in those for finished files', async () => {
    const scene = await openInbox({ recursive: true, after: 'move' });
    for (const folder of ['.git', 'done', 'failed', 'a/b/c']) {
      await mkdir(join(scene.folder, folder), { recursive: true });
      await writeFile(join(scene.folder, folder, 'x.txt'), folder);
    }
    expect(await scene.handed(1)).toEqual([join(scene.folder, 'a/b/c/x.txt')]);
    scene.end('run-1');
    await until('it is moved', async () => (await readdir(join(scene.folder, 'a/b/c'))).join() === 'done');
    await writeFile(join(scene.folder, 'a/y.txt'), 'y');
    await scene.handed(2);
    expect(scene.runs.paths).toHaveLength(2);
  });

  it('are the same after their disk was mounted again, under another number', async () => {
    let device = '7';
    const looks = new (class extends FileLooks {
      override async look(...given: Parameters<FileLooks['look']>): Promise<Look> {
        const look = await super.look(...given);
        if (look.kind === 'file')
          return { kind: 'file', file: { ...look.file, device, hasLastingInode: false } };
        return look.kind === 'folder' ? { ...look, device } : look;
      }
    })();
    const scene = await openInbox({}, { parts: { looks } });
    await writeFile(join(scene.folder, 'a.txt'), 'a');
    await scene.handed(1);
    scene.end('run-1');
    const away = `${scene.folder}-away`;
    // The empty folder below the mount point.
    await scene.reopen({}, async () => {
      device = '1';
      await rename(scene.folder, away);
      await mkdir(scene.folder);
    });
    await writeFile(join(scene.folder, 'below.txt'), 'b');
    await scene.handed(2);
    await scene.reopen({}, async () => {
      device = '9';
      await rm(scene.folder, { recursive: true });
      await rename(away, scene.folder);
    });
    await writeFile(join(scene.folder, 'c.txt'), 'c');
    const paths = (await scene.handed(3)).map((path) => path.slice(scene.folder.length + 1));
    expect(paths).toEqual(['a.txt', 'below.txt', 'c.txt']);
  });
});

describe('the runs of a folder trigger', () => {
  it('are at most 50 at once; the other files wait', async () => {
    const scene = await openInbox();
    for (let index = 0; index < 70; index++) await writeFile(join(scene.folder, `${index}.txt`), 'x');
    await scene.handed(50);
    for (const runId of scene.runs.live.slice(0, 10)) scene.end(runId);
    await scene.handed(60);
    expect(scene.runs.live).toHaveLength(50);
    await unlink(
      join(
        scene.folder,
        scene.runs.paths.flat().includes(join(scene.folder, '69.txt')) ? '68.txt' : '69.txt',
      ),
    ).catch(() => {});
    for (const runId of scene.runs.live) scene.end(runId);
    await scene.handed(69);
    expect(new Set(scene.runs.paths.flat()).size).toBe(scene.runs.paths.flat().length);
  });

  it('start later if they are refused, and the user learns of a lasting cause once', async () => {
    const scene = await openInbox();
    scene.runs.refuseWith = queueFull;
    await writeFile(join(scene.folder, 'a.txt'), 'a');
    await until('the run is refused', async () => reasons(scene).length > 0);
    expect(scene.inbox.problem?.message.en).toBe('The queue is full.');
    expect(scene.notices).toEqual([]);
    scene.runs.refuseWith = new AppError('script-unknown', { en: 'No such script', zh: '脚本不存在' });
    await until('the user learns of it', async () => {
      scene.skip(1000);
      return scene.notices.length === 1;
    });
    scene.runs.refuseWith = null;
    await until('it is handed over', async () => {
      scene.skip(10_000);
      return scene.runs.paths.length === 1;
    });
    expect(scene.inbox.problem).toBeNull();
    expect(scene.notices).toHaveLength(1);
    expect(reasons(scene)).toEqual(['fired', 'cannot-start']);
    expect(scene.store.handovers('inbox')).toHaveLength(1);
  });

  it('are not repeated after a crash between the start of a run and its record', async () => {
    const scene = await openInbox();
    const path = join(scene.folder, 'a.txt');
    await writeFile(path, 'a');
    await scene.handed(1);
    await scene.inbox.close();
    const [handover] = scene.store.handovers('inbox');
    if (handover === undefined) throw new Error('no handover is stored');
    // The state on disk after a kill at that point, and after a kill before the start of another run.
    scene.store.forgetHanded('inbox', [path]);
    scene.store.putHandover({ ...handover, runId: null });
    scene.store.putHandover({ ...handover, key: 'never started', runId: null, files: [] });
    await scene.reopen({ after: 'move' });
    await writeFile(join(scene.folder, 'b.txt'), 'b');
    await scene.handed(2);
    expect(scene.runs.paths.flat()).toEqual([path, join(scene.folder, 'b.txt')]);
    scene.end('run-1');
    await until('it is moved', async () => (await readdir(scene.folder)).includes('done'));
    await until('the handover is removed', async () => scene.store.handovers('inbox').length === 1);
  });

  it.each([
    ['is forgotten', 25, ['missed-too-long', 'fired'], 1],
    ['would still be known', 23, ['fired', 'fired'], 2],
  ])('are not repeated after a crash if their key %s', async (_what, hours, expected, runs) => {
    const scene = await openInbox();
    const path = join(scene.folder, 'a.txt');
    await writeFile(path, 'a');
    await scene.handed(1);
    await scene.inbox.close();
    const [handover] = scene.store.handovers('inbox');
    if (handover === undefined) throw new Error('no handover is stored');
    scene.store.forgetHanded('inbox', [path]);
    scene.store.removeHandover('inbox', handover.key);
    const chosenAt = new Date(Date.now() - hours * 3_600_000).toISOString();
    scene.store.putHandover({ ...handover, key: 'folder:killed', chosenAt, runId: null });
    scene.runs.forgetKeys();
    await scene.reopen();
    await until('it is decided', async () => reasons(scene).length === 2);
    expect(reasons(scene)).toEqual(expected);
    expect(scene.store.handed('inbox').map((file) => file.path)).toEqual([path]);
    await writeFile(join(scene.folder, 'b.txt'), 'b');
    await scene.handed(runs + 1);
    expect(scene.runs.paths.flat().filter((one) => one === path)).toHaveLength(runs);
    if (runs > 1) return;
    expect(scene.store.page('inbox', { before: null, limit: 9 }).firings.at(-2)).toMatchObject({
      outcome: 'skipped',
      detail: `${path}: its run may have started before Hob was stopped`,
    });
    expect(scene.store.handovers('inbox').map(({ key }) => key)).not.toContain('folder:killed');
  });

  it('lead to one notification after three failures in a row', async () => {
    const scene = await openInbox();
    for (let index = 1; index <= 5; index++) {
      await writeFile(join(scene.folder, `${index}.txt`), 'x');
      await scene.handed(index);
      await until('it is live', async () => {
        scene.end(`run-${index}`, index === 5);
        return scene.store.handovers('inbox').length === 0;
      });
      expect(scene.notices).toHaveLength(index < 3 ? 0 : 1);
    }
  });

  it('leave a file where it is if it cannot be moved, and try again', async () => {
    const scene = await openInbox({ after: 'move', filters: ['.txt'] });
    await writeFile(join(scene.folder, 'done'), 'in the way');
    await writeFile(join(scene.folder, 'a.txt'), 'a');
    await scene.handed(1);
    scene.end('run-1');
    await until('the status shows the problem', async () => scene.inbox.problem?.field === 'after');
    expect(scene.inbox.problem?.advice.en).toContain(`${join(scene.folder, 'done')} is not a folder`);
    await unlink(join(scene.folder, 'done'));
    scene.skip(61_000);
    await until(
      'it is moved',
      async () => (await readdir(join(scene.folder, 'done')).catch(() => [])).length > 0,
    );
    await until('the problem is gone', async () => scene.inbox.problem === null);
    expect(scene.runs.paths).toHaveLength(1);
  });

  it.each([
    ['overwritten', (path: string) => writeFile(path, 'the next one')],
    ['appended to', (path: string) => appendFile(path, 'more')],
    [
      'replaced',
      async (path: string) => {
        await writeFile(`${path}.tmp`, 'the next one');
        await rename(`${path}.tmp`, path);
      },
    ],
  ])('hand over a file again that was %s meanwhile, and move it then', async (_what, change) => {
    const scene = await openInbox({ after: 'move' });
    const path = join(scene.folder, 'a.txt');
    await writeFile(path, 'a');
    await scene.handed(1);
    await change(path);
    const content = await readFile(path, 'utf8');
    scene.end('run-1');
    expect(await scene.handed(2)).toEqual([path, path]);
    expect(await readdir(scene.folder)).toEqual(['a.txt']);
    scene.end('run-2');
    await until('it is moved', async () => (await readdir(scene.folder)).join() === 'done');
    expect(await readFile(join(scene.folder, 'done', 'a.txt'), 'utf8')).toBe(content);
  });

  it('hand over a file again that was overwritten while Hob was down', async () => {
    const scene = await openInbox({ after: 'move' });
    const path = join(scene.folder, 'a.txt');
    await writeFile(path, 'a');
    await scene.handed(1);
    await scene.reopen({ after: 'move' }, async () => {
      await writeFile(path, 'the next one');
      scene.runs.end('run-1', false);
    });
    expect(await scene.handed(2)).toEqual([path, path]);
    expect(await readdir(scene.folder)).toEqual(['a.txt']);
  });

  it('move a file that changed during three of them in a row', async () => {
    const scene = await openInbox({ after: 'move' });
    const path = join(scene.folder, 'a.txt');
    await writeFile(path, 'a');
    for (let count = 1; count <= 3; count++) {
      await scene.handed(count);
      await appendFile(path, 'by the run');
      scene.end(`run-${count}`);
    }
    await until('it is moved', async () => (await readdir(scene.folder)).join() === 'done');
    await until('the handover is removed', async () => scene.store.handovers('inbox').length === 0);
    expect(reasons(scene)).toEqual(['changed-by-run', 'fired', 'fired', 'fired']);
    expect(scene.notices).toHaveLength(1);
    await writeFile(path, 'the next one');
    expect(await scene.handed(4)).toHaveLength(4);
  });

  it('move a file that changed during three of them also if that takes several attempts', async () => {
    const scene = await openInbox({ after: 'move', filters: ['.txt'] });
    const path = join(scene.folder, 'a.txt');
    await writeFile(join(scene.folder, 'done'), 'in the way');
    await writeFile(path, 'a');
    for (let count = 1; count <= 3; count++) {
      await scene.handed(count);
      await appendFile(path, 'by the run');
      scene.end(`run-${count}`);
    }
    await until('the status shows the problem', async () => scene.inbox.problem?.field === 'after');
    await scene.reopen({ after: 'move', filters: ['.txt'] }, () => unlink(join(scene.folder, 'done')));
    await until('it is moved', async () => (await readdir(scene.folder)).join() === 'done');
    expect(reasons(scene)).toEqual(['changed-by-run', 'fired', 'fired', 'fired']);
    expect(scene.notices).toHaveLength(1);
  });

  it('hand over a changed file again while another of the same run cannot be moved', async () => {
    const scene = await openInbox({ batchMs: 300, after: 'move', filters: ['.txt'] });
    const [first, second] = [join(scene.folder, 'a.txt'), join(scene.folder, 'b.txt')];
    await writeFile(join(scene.folder, 'done'), 'in the way');
    await scene.reopen({}, async () => {
      for (const path of [first, second]) await writeFile(path, 'x');
    });
    await scene.handed(2);
    await appendFile(first, 'more');
    scene.end('run-1');
    expect((await scene.handed(3)).at(-1)).toBe(first);
    expect(scene.inbox.problem?.field).toBe('after');
    await unlink(join(scene.folder, 'done'));
    scene.end('run-2');
    await until('both are moved', async () => {
      scene.skip(61_000);
      return (await readdir(scene.folder)).join() === 'done';
    });
    expect(reasons(scene)).toEqual(['fired', 'fired', 'fired']);
  });

  it('share files that arrive together', async () => {
    const scene = await openInbox({ batchMs: 300 });
    await scene.reopen({}, async () => {
      for (const name of ['a', 'b', 'c']) await writeFile(join(scene.folder, name), name);
    });
    await scene.handed(3);
    expect(scene.runs.paths).toHaveLength(1);
  });
});

describe('a folder that is missing', () => {
  it('is a problem, of which the user learns after a minute, until it is there', async () => {
    const scene = await openInbox();
    await rm(scene.folder, { recursive: true });
    await until('it is missed', async () => {
      scene.skip(3000);
      return scene.inbox.problem?.message.en.includes('does not exist yet');
    });
    expect(scene.notices).toEqual([]);
    await until('the user learns of it', async () => {
      scene.skip(10_000);
      return scene.notices.length > 0;
    });
    await mkdir(scene.folder);
    await writeFile(join(scene.folder, 'a.txt'), 'a');
    await utimes(join(scene.folder, 'a.txt'), 1, 1);
    await scene.handed(1, 1000);
    expect(scene.inbox.problem).toBeNull();
    expect(scene.notices).toHaveLength(1);
  });

  it.each([
    ['a file', async (path: string) => writeFile(path, 'x'), 'is not a folder'],
    ['a link to nothing', async (path: string) => symlink('nothing', path), 'does not exist yet'],
  ])('is a problem while %s is in its place', async (_what, place, message) => {
    const scene = await openInbox();
    await rm(scene.folder, { recursive: true });
    await place(scene.folder);
    await until('the status shows it', async () => {
      scene.skip(3000);
      return scene.inbox.problem?.message.en.includes(message);
    });
    await unlink(scene.folder);
    const other = `${scene.folder}-other`;
    await mkdir(other);
    await symlink(other, scene.folder);
    await writeFile(join(other, 'a.txt'), 'a');
    expect(await scene.handed(1, 1000)).toEqual([join(scene.folder, 'a.txt')]);
  });
});

describe('a folder that cannot be watched or read', () => {
  it('is listed every few seconds instead', async () => {
    const watch = () => {
      throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' });
    };
    const scene = await openInbox({ recursive: true }, { parts: { watch } });
    await until('the status shows it', async () => scene.inbox.problem !== null);
    expect(scene.inbox.problem?.message.en).toContain('allows no more folder watches (ENOSPC)');
    await mkdir(join(scene.folder, 'sub'));
    await writeFile(join(scene.folder, 'sub', 'a.txt'), 'a');
    await scene.handed(1, 1000);
    expect(scene.notices).toEqual([]);
  });

  it('has no arrivals before it was read for the first time', async () => {
    let isDenied = true;
    const looks = new (class extends FileLooks {
      override async look(...given: Parameters<FileLooks['look']>): Promise<Look> {
        return isDenied ? { kind: 'failed', errno: 'EACCES' } : super.look(...given);
      }
    })();
    const scene = await openInbox(
      {},
      { parts: { looks }, isListed: false, before: (folder) => writeFile(join(folder, 'old.txt'), 'old') },
    );
    await until('the status shows it', async () => scene.inbox.problem?.message.en.includes('may not read'));
    isDenied = false;
    await until('it was listed', async () => {
      scene.skip(1000);
      return scene.store.position('inbox') !== null;
    });
    expect(scene.inbox.problem).toBeNull();
    await writeFile(join(scene.folder, 'new.txt'), 'new');
    expect(await scene.handed(1)).toEqual([join(scene.folder, 'new.txt')]);
  });
});
