import { chmod, lstat, mkdir, readdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import type { MenuPlace } from './entry-plan.ts';
import { thunar } from './file-managers.ts';
import { readInstalledMenus } from './installed-menus.ts';
import type { MenuScript } from './menu-script.ts';
import { examineEntry, removeMenus, setMenus } from './menus.ts';
import { nautilusFiles } from './nautilus.ts';
import { nemoFiles } from './nemo.ts';

const ids = ['2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11', '93081ff8-55bd-4a58-8b83-4ec4f8ee39d2'] as const;

function script(name: string, id: string = ids[0]): MenuScript {
  return {
    id,
    slug: name.toLowerCase(),
    name,
    label: name,
    description: null,
    icon: null,
    takesOne: false,
    menu: { targets: ['files'], filters: [] },
    shortcut: null,
  };
}

/** A user with Nautilus, Nemo and Thunar. */
async function scene() {
  const folder = await realpath(await tempFolder());
  const place: MenuPlace = {
    launch: { node: '/usr/bin/node', command: '/opt/hob.js', home: join(folder, 'hob') },
    session: {
      dataHome: join(folder, 'data'),
      configHome: join(folder, 'config'),
      configDirs: [join(folder, 'system')],
      names: [],
      environment: {},
    },
    managers: [{ title: 'Nautilus', files: nautilusFiles }, { title: 'Nemo', files: nemoFiles }, thunar],
    platform: 'linux',
  };
  const actions = join(folder, 'config', 'Thunar', 'uca.xml');
  await mkdir(dirname(actions), { recursive: true });
  const install = async (...scripts: MenuScript[]) => (await setMenus(scripts, [], place)).problems;
  const remove = async () => removeMenus((await readInstalledMenus(place.launch.home)).entries, [], place);
  const stateOf = async (wanted: MenuScript) => {
    const { entries } = await readInstalledMenus(place.launch.home);
    const entry = entries.find(({ id }) => id === wanted.id);
    return entry === undefined ? null : examineEntry(entry, wanted, place);
  };
  return { folder, place, actions, install, remove, stateOf };
}

const read = (path: string) => readFile(path, 'utf8');

/** The paths of all files below a folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

const usersActions = `<?xml encoding="UTF-8" version="1.0"?>
<actions>
<!-- mine: do not touch <action> -->
  <action><name>Mine &amp; “yours”</name><unique-id>1-1</unique-id>
    <command>sh -c 'echo %f' &gt; /dev/null</command><patterns>*</patterns><text-files/></action>


\t<action>\r\n<name>中文</name><unique-id>hob-looks-alike</unique-id></action></actions>
<!-- end -->`;

describe('the file of the user for Thunar', () => {
  it('is restored byte for byte by the removal, with its permissions and without a copy', async () => {
    const { actions, install, remove } = await scene();
    await writeFile(actions, usersActions, { mode: 0o640 });
    await chmod(actions, 0o640);
    expect(await install(script('One'), script('Two', ids[1]))).toEqual([]);
    expect(await read(actions)).toContain('<name>Two</name>');
    expect(await read(`${actions}.before-hob`)).toBe(usersActions);
    expect(await install(script('Renamed'))).toEqual([]);
    expect(await read(`${actions}.before-hob`)).toBe(usersActions);
    expect(await remove()).toEqual({ left: [], problems: [] });
    expect(await read(actions)).toBe(usersActions);
    expect((await stat(actions)).mode & 0o777).toBe(0o640);
    expect(await readdir(dirname(actions))).toEqual(['uca.xml']);
  });

  it.each(['<actions/>', '<!-- mine -->\r\n<actions />\r\n'])(
    'is restored if it has no actions: %j',
    async (text) => {
      const { actions, install, remove } = await scene();
      await writeFile(actions, text);
      expect(await install(script('One'))).toEqual([]);
      expect(await remove()).toEqual({ left: [], problems: [] });
      expect(await read(actions)).toBe(text);
      expect(await readdir(dirname(actions))).toEqual(['uca.xml']);
    },
  );

  it('keeps what the user changed since, and the copy of its first state', async () => {
    const { actions, install, remove } = await scene();
    await writeFile(actions, usersActions);
    await install(script('One'));
    const edited = (await read(actions)).replace('<!-- end -->', '<!-- edited -->');
    await writeFile(actions, edited);
    await remove();
    expect(await read(actions)).toBe(usersActions.replace('<!-- end -->', '<!-- edited -->'));
    expect(await read(`${actions}.before-hob`)).toBe(usersActions);
  });

  it('is not created for good if the user had none', async () => {
    const { folder, actions, install, remove } = await scene();
    await mkdir(join(folder, 'system', 'Thunar'), { recursive: true });
    await writeFile(join(folder, 'system', 'Thunar', 'uca.xml'), usersActions);
    await install(script('One'));
    expect(await read(actions)).toContain('Mine &amp;');
    await install(script('Renamed'), script('Two', ids[1]));
    await remove();
    expect(await readdir(dirname(actions))).toEqual([]);
  });

  it.each(['<actions>\n<action>\n', 'not XML', '<<<<<<< ours\n<actions></actions>', ''])(
    'stays as it is if it is broken: %j',
    async (text) => {
      const { folder, actions, install, remove } = await scene();
      await writeFile(actions, text);
      expect(await install(script('One'))).toEqual([
        expect.stringMatching(/uca\.xml was not changed.*valid XML/),
      ]);
      expect(await read(actions)).toBe(text);
      expect(await filesBelow(join(folder, 'data'))).toHaveLength(2);
      const { left, problems } = await remove();
      expect([left.length, problems.length]).toEqual([1, 1]);
      expect(await read(actions)).toBe(text);
      expect(await filesBelow(join(folder, 'data'))).toEqual([]);
      await writeFile(actions, usersActions);
      expect(await remove()).toEqual({ left: [], problems: [] });
      expect(await read(actions)).toBe(usersActions);
    },
  );

  it('that broke since is named again by each removal until it is correct', async () => {
    const { place, actions, install, remove } = await scene();
    await writeFile(actions, usersActions);
    await install(script('One'));
    const installed = await read(actions);
    await writeFile(actions, installed.slice(5));
    expect((await remove()).problems).toHaveLength(1);
    expect(await install()).toHaveLength(1);
    const { entries } = await readInstalledMenus(place.launch.home);
    expect(entries).toMatchObject([{ id: ids[0], isInMenus: false, files: [], thunar: actions }]);
    await writeFile(actions, installed);
    expect(await remove()).toEqual({ left: [], problems: [] });
    expect(await read(actions)).toBe(usersActions);
  });

  it('stays a link', async () => {
    const { folder, actions, install, remove } = await scene();
    const target = join(folder, 'dotfiles.xml');
    await writeFile(target, usersActions);
    await symlink('../../dotfiles.xml', actions);
    expect(await install(script('One'))).toEqual([]);
    expect(await read(target)).toContain('<name>One</name>');
    await remove();
    expect(await read(target)).toBe(usersActions);
    expect((await lstat(actions)).isSymbolicLink()).toBe(true);
    expect(await readdir(dirname(actions))).toEqual(['uca.xml']);
  });

  it('stays a link to a file that is missing', async () => {
    const { folder, actions, install } = await scene();
    await symlink(join(folder, 'unmounted', 'uca.xml'), actions);
    expect(await install(script('One'))).toEqual([
      expect.stringContaining('a link to a file that does not exist'),
    ]);
    expect((await lstat(actions)).isSymbolicLink()).toBe(true);
    expect(await readdir(folder)).not.toContain('unmounted');
  });

  it('stays as it is if it is read-only', async () => {
    const { actions, install } = await scene();
    await writeFile(actions, usersActions);
    await chmod(actions, 0o444);
    expect(await install(script('One'))).toEqual([expect.stringMatching(/read-only.*chmod u\+w/)]);
    expect(await read(actions)).toBe(usersActions);
    expect(await readdir(dirname(actions))).toEqual(['uca.xml']);
  });
});

describe('a file of the user', () => {
  it('in the folders of Nautilus and Nemo stays, also with the name of an entry', async () => {
    const { folder, install, remove } = await scene();
    const own = ['nautilus/scripts/One', 'nautilus/scripts/mine.sh', 'nemo/actions/hob-one.nemo_action'].map(
      (path) => join(folder, 'data', path),
    );
    for (const path of own) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `#!/bin/sh\n# ${path}\n`);
    }
    const problems = await install(script('One'), script('Two', ids[1]));
    expect(problems).toHaveLength(2);
    expect(problems.join()).toContain('is not from this Hob');
    expect(await filesBelow(join(folder, 'data'))).toHaveLength(own.length + 2);
    expect(await remove()).toEqual({ left: [], problems: [] });
    expect((await filesBelow(join(folder, 'data'))).sort()).toEqual(own.sort());
    for (const path of own) expect(await read(path)).toBe(`#!/bin/sh\n# ${path}\n`);
  });

  it('in the place of a folder stays, and is reported', async () => {
    const { folder, install } = await scene();
    await mkdir(join(folder, 'data', 'nautilus'), { recursive: true });
    await writeFile(join(folder, 'data', 'nautilus', 'scripts'), 'mine');
    expect(await install(script('One'))).toEqual([expect.stringMatching(/Cannot write .*One \(EEXIST\)/)]);
    expect(await read(join(folder, 'data', 'nautilus', 'scripts'))).toBe('mine');
  });

  it('that replaced an entry stays', async () => {
    const { folder, install, remove } = await scene();
    await install(script('One'));
    const path = join(folder, 'data', 'nautilus', 'scripts', 'One');
    await writeFile(path, 'mine');
    expect(await remove()).toEqual({ left: [], problems: [] });
    expect(await filesBelow(join(folder, 'data'))).toEqual([path]);
  });
});

describe('the entry of a script', () => {
  it('replaces the one of a script with the same name that is gone', async () => {
    const { install, stateOf } = await scene();
    const [first, second] = [script('One'), script('One', ids[1])];
    await install(first);
    expect(await stateOf(second)).toBeNull();
    expect(await install(second)).toEqual([]);
    expect(await stateOf(second)).toBe('current');
    expect(await stateOf(first)).toBeNull();
  });

  it('follows its name when two scripts swap their names', async () => {
    const { install, stateOf } = await scene();
    await install(script('One'), script('Two', ids[1]));
    const swapped = [script('Two'), script('One', ids[1])];
    for (const each of swapped) expect(await stateOf(each)).toBe('outdated');
    expect(await install(...swapped)).toEqual([]);
    for (const each of swapped) expect(await stateOf(each)).toBe('current');
  });

  it('is outdated after a change, and incomplete if a part is gone', async () => {
    const { actions, install, stateOf } = await scene();
    await install(script('One'));
    expect(await stateOf(script('One'))).toBe('current');
    expect(await stateOf(script('Renamed'))).toBe('outdated');
    expect(await stateOf({ ...script('One'), menu: { targets: ['files'], filters: ['.mp4'] } })).toBe(
      'outdated',
    );
    await writeFile(actions, '<actions/>');
    expect(await stateOf(script('One'))).toBe('missing');
    await install(script('One'));
    expect(await stateOf(script('One'))).toBe('current');
  });

  it('of another home stays', async () => {
    const { place, actions, install, remove } = await scene();
    const other: MenuPlace = { ...place, launch: { ...place.launch, home: `${place.launch.home}-2` } };
    await setMenus([script('Other')], [], other);
    const before = await read(actions);
    await install(script('One'));
    await remove();
    expect(await read(actions)).toBe(before);
    const [entry] = (await readInstalledMenus(other.launch.home)).entries;
    expect(entry && (await examineEntry(entry, script('Other'), other))).toBe('current');
  });
});
