import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Desk, deskPrograms, launchDesk } from '../support/desk.ts';
import {
  type ContextMenu,
  type FileManagerKind,
  nemo,
  openContextMenu,
  thunar,
} from '../support/file-manager.ts';
import { executorPid, type Hob, launchHob, runCli, tempFolder, untilGone } from '../support/hob.ts';
import { findProgram, has, succeeds } from '../support/needs.ts';
import { saveShot } from '../support/screen.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const canRead = ['/usr/bin/python3', '-c', 'import gi; gi.require_version("Atspi", "2.0")'];
const canUse = ({ program, title }: FileManagerKind) =>
  has(
    `${title} on a desk that tests can read`,
    [...deskPrograms, program].every((name) => findProgram(name) !== null) && succeeds(canRead),
  );

/** A folder to save pictures to, for people to look at. */
const album = process.env.TEST_SHOTS;

const menu = (targets: string, more = '') => ({
  tables: `[service.triggers.context_menu]\nenabled = true\ntargets = ${targets}\n${more}`,
});
const scripts = {
  'Resize_images & 缩放': menu('["files"]', 'filters = [".mp4", ".PNG"]'),
  'One 100% file': {
    tables: `[[service.inputs]]\nname = "file"\ntype = "file"\n${menu('["files"]').tables}`,
  },
  'Pack folders': menu('["directory"]'),
  'New file here': menu('["background"]'),
  Anything: menu('["files", "directory", "background"]'),
};

const oddNames = [
  '-rf.mp4',
  '$HOME `id` %U 50%f.mp4',
  'a  b & c.mp4',
  `it's "quoted" \\.mp4`,
  'line\nbreak.mp4',
  'shot.PNG',
  '文件 夹.png',
];

interface Selection {
  readonly what: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Otherwise, the menu of the empty space is opened. */
  readonly selects: boolean;
  /** The entries of Hob in the menu. */
  readonly entries: readonly string[];
}

const files = { folders: [], selects: true };
const selections: readonly Selection[] = [
  { what: 'files that fit', ...files, files: oddNames, entries: ['Anything', 'Resize_images & 缩放'] },
  { what: 'a file that does not fit', ...files, files: ['x.txt'], entries: ['Anything', 'One 100% file'] },
  { what: 'files of which one does not fit', ...files, files: ['x.mp4', 'y.txt'], entries: ['Anything'] },
  { what: 'a file and a folder', files: ['x.mp4'], folders: ['d'], selects: true, entries: ['Anything'] },
];

/** Thunar does not distinguish a selected folder from the empty space of an open one. */
const onFolders = {
  Thunar: ['Anything', 'New file here', 'Pack folders'],
  Nemo: ['Anything', 'Pack folders'],
};
const onNothing = {
  Thunar: ['Anything', 'New file here', 'Pack folders'],
  Nemo: ['Anything', 'New file here'],
};

describe.each([thunar, nemo])('the menu of $title', (kind) => {
  const isReady = canUse(kind);
  let desk: Desk;
  let base: string;
  let hob: Hob;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    if (!isReady) return;
    desk = await launchDesk({ isReadable: true });
    base = await mkdtemp(join(tmpdir(), 'hob-test-'));
    for (const [index, [name, options]] of Object.entries(scripts).entries())
      ids.set(name, await writeScript(join(base, 'scripts'), `script-${index}`, { name, ...options }));
    const home = join(base, "hob's 家");
    await mkdir(home);
    hob = await launchHob({ home, scripts: [join(base, 'scripts')], env: { ...desk.env } });
    const { code, stderr } = await runCli(['menus', 'install', '--home', home], { ...desk.env }).ended;
    expect([code, stderr]).toEqual([0, '']);
  });
  afterAll(async () => {
    if (!isReady) return;
    const executor = await executorPid(hob.home);
    await hob.stop();
    await untilGone(executor);
    await desk.stop();
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  });

  const isOwn = (entry: string) => entry in scripts;

  /** Chooses an entry, and returns the paths that the script gets, sorted. */
  async function choose(entry: string, from: ContextMenu): Promise<unknown[]> {
    const path = `/api/runs?script=${ids.get(entry)}&limit=1`;
    const lastRun = async () => {
      const { items } = (await hob.get(path)).body;
      return Array.isArray(items) ? items[0]?.run_id : undefined;
    };
    const before = await lastRun();
    await from.choose(entry);
    const id = await until('the run has started', async () => {
      const last = await lastRun();
      return last !== before && last;
    });
    const { origin, data } = await hob.ended(id);
    expect(origin).toBe('menu');
    // A script with an input gets them under its name.
    return (Array.isArray(data) ? data : Object.values(Object(data)).flat()).sort();
  }

  it.runIf(isReady).each(selections)('offers scripts for $what, and starts them', async (selection) => {
    const folder = await tempFolder();
    for (const name of selection.files) await writeFile(join(folder, name), '');
    for (const name of selection.folders) await mkdir(join(folder, name));
    const paths = [...selection.files, ...selection.folders].map((name) => join(folder, name));
    const opened = await openContextMenu(kind, folder, { desk, selects: true });
    if (album) await saveShot(await desk.screen.shot(), `${album}/${kind.program}-${selection.what}.png`);
    expect(opened.entries.filter(isOwn).sort()).toEqual(selection.entries);
    const last = selection.entries.at(-1) ?? '';
    expect(await choose(last, opened)).toEqual(paths.sort());
  });

  it.runIf(isReady)('offers scripts for folders, and starts them', async () => {
    const folder = await tempFolder();
    const paths = ['a b', '目录'].map((name) => join(folder, name));
    for (const path of paths) await mkdir(path);
    const opened = await openContextMenu(kind, folder, { desk, selects: true });
    expect(opened.entries.filter(isOwn).sort()).toEqual(kind === thunar ? onFolders.Thunar : onFolders.Nemo);
    expect(await choose('Pack folders', opened)).toEqual(paths);
  });

  it.runIf(isReady)('offers scripts for the folder that is open, and starts them with it', async () => {
    const folder = join(await tempFolder(), '打开 the "folder"');
    await mkdir(join(folder, 'inner'), { recursive: true });
    const opened = await openContextMenu(kind, folder, { desk, selects: false });
    expect(opened.entries.filter(isOwn).sort()).toEqual(kind === thunar ? onNothing.Thunar : onNothing.Nemo);
    expect(await choose('New file here', opened)).toEqual([folder]);
  });
});
