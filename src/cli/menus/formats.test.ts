import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { findProgram, has } from '../../../test/support/needs.ts';
import { fileThere } from '../../../test/support/until.ts';
import type { DesktopSession } from '../../settings/desktop-session.ts';
import { shellWord } from '../command-lines.ts';
import { dolphinFiles } from './dolphin.ts';
import { launcherFiles } from './launcher.ts';
import { type EntryFile, type Launch, type MenuScript, oneLine } from './menu-script.ts';
import { cajaFiles, nautilusFiles } from './nautilus.ts';
import { nemoFiles } from './nemo.ts';
import { mergeActions, thunarActions } from './thunar-actions.ts';

const parser = fileURLToPath(new URL('../../../test/support/glib-parse.py', import.meta.url));
const python = '/usr/bin/python3';

function hasGlib(): boolean {
  try {
    execFileSync(python, ['-c', 'from gi.repository import Gio'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const isReady = has('python3 with GLib (python3-gi)', process.platform === 'linux' && hasGlib());

const names = [
  'Resize images',
  '缩放图片',
  'a/b\\c',
  `"double" 'single' \`back\` $HOME`,
  '100% %f %F %U %%',
  '<b>&amp; ]]> &',
  ' spaces ',
  'a_b__c',
  'semi;colon; #hash [x]',
  '-dash',
  '.hidden~',
  'line\nbreak\ttab\r\u0001',
  '😀 emoji',
];

const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';

function script(name: string, rest: Partial<MenuScript> = {}): MenuScript {
  return {
    id,
    slug: 'some-script',
    name,
    label: oneLine(name),
    description: null,
    icon: null,
    takesOne: false,
    menu: { targets: ['files', 'directory', 'background'], filters: ['.mp4', '.tar.gz'] },
    shortcut: { asks_for: null, filters: [] },
    ...rest,
  };
}

interface Scene {
  readonly launch: Launch;
  readonly session: DesktopSession;
  /** The words that the last entry was started with. */
  words(): Promise<string[]>;
}

/** A program with a difficult path in place of Node. It writes down its words. */
async function scene(): Promise<Scene> {
  const folder = await tempFolder();
  const odd = join(folder, `it's 100% "odd" $x \\ 中文;`);
  await mkdir(odd);
  // GLib finds no program in a launcher if its path contains a percent sign.
  const [node, log] = [join(folder, `it's "odd" $x \\ 中文; node`), join(folder, 'words')];
  await writeFile(
    node,
    `#!/bin/sh\nprintf '%s\\0' "$@" > ${shellWord(log)}.new\nmv ${shellWord(log)}.new ${shellWord(log)}\n`,
  );
  await chmod(node, 0o755);
  const session: DesktopSession = {
    dataHome: join(folder, 'data'),
    configHome: join(folder, 'config'),
    configDirs: [],
    names: [],
    environment: {},
  };
  return {
    launch: { node, command: join(odd, 'hob.js'), home: join(odd, 'home') },
    session,
    async words() {
      await fileThere(log);
      return (await readFile(log, 'utf8')).split('\0').slice(0, -1);
    },
  };
}

async function write(files: readonly EntryFile[]): Promise<string[]> {
  for (const { path, text, isProgram } of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    if (isProgram) await chmod(path, 0o755);
  }
  return files.map(({ path }) => path);
}

/** Answers of an independent parser. */
async function parse(...requests: readonly unknown[][]): Promise<unknown[]> {
  const running = promisify(execFile)(python, [parser]);
  running.child.stdin?.end(JSON.stringify(requests));
  return JSON.parse((await running).stdout);
}

describe.runIf(isReady)('an entry for', () => {
  it.each(names)('Nemo has the name %j and starts Hob with exact words', async (name) => {
    const { launch, session } = await scene();
    const files = nemoFiles(script(name), launch, session);
    const [onFiles = '', here = ''] = await write(files);
    const [action, hereAction, extensions] = await parse(
      ['key_file', onFiles, 'Nemo Action'],
      ['key_file', here, 'Nemo Action'],
      ['key_list', onFiles, 'Nemo Action', 'Extensions'],
    );
    const label = oneLine(name).replaceAll('_', '__').replaceAll('%', '%%');
    expect(action).toMatchObject({ Name: label, Selection: 'notnone', Quote: 'double' });
    expect(hereAction).toMatchObject({ Name: label, Selection: 'none' });
    expect(extensions).toEqual(['.mp4', '.tar.gz', 'dir']);
    const exec = String(Reflect.get(Object(action), 'Exec'));
    const [words] = await parse(['argv', exec]);
    const expected = [launch.node, launch.command, 'menu-run', '--home', launch.home, id, '--'];
    expect(words).toEqual([...expected.map((word) => word.replaceAll('%', '%%')), '%U']);
  });

  it.each(names)('Thunar has the name %j and starts Hob with exact words', async (name) => {
    const { launch, words } = await scene();
    const actions = thunarActions(script(name), launch, 'hob-');
    const text = mergeActions('<actions/>', 'hob-', actions);
    const file = join(await tempFolder(), 'uca.xml');
    await writeFile(file, text);
    const [parsed] = await parse(['actions', file]);
    const [first] = Array.isArray(parsed) ? parsed : [];
    const fields = new Map<string, string | null>(first);
    expect(fields.get('name')).toBe(oneLine(name).replaceAll('_', '__'));
    expect(fields.get('unique-id')).toBe(`hob-${id}-files`);
    expect(fields.get('patterns')).toBe('*.mp4;*.MP4;*.Mp4;*.tar.gz;*.TAR.GZ;*.Tar.gz');
    // Thunar replaces its tokens, and passes the rest to sh.
    const command = String(fields.get('command')).replace(/%(.)/g, (_token, code) =>
      code === 'F' ? "'/a b'" : code,
    );
    await promisify(execFile)('/bin/sh', ['-c', command]);
    expect(await words()).toEqual([launch.command, 'menu-run', '--home', launch.home, id, '--', '/a b']);
  });

  it.each(names)('Nautilus and Caja is a program whose name looks like %j', async (name) => {
    const { launch, session, words } = await scene();
    const [nautilus = ''] = await write(nautilusFiles(script(name), launch, session));
    await promisify(execFile)(nautilus);
    const start = [launch.command, 'menu-run', '--home', launch.home, '--from'];
    expect(await words()).toEqual([...start, 'nautilus', id, '--']);
    const shown = nautilus.slice(nautilus.lastIndexOf('/') + 1);
    expect(shown.startsWith('.') || shown.endsWith('~')).toBe(false);
    const [caja = ''] = await write(cajaFiles(script(name), launch, session));
    expect(await readFile(caja, 'utf8')).toContain("'--from' 'caja'");
  });

  it.each(names)(
    'the launcher has the name %j, and the desktop starts Hob with exact words',
    async (name) => {
      const { launch, session, words } = await scene();
      const [path = ''] = await write(launcherFiles(script(name), launch, session));
      const [entry] = await parse(['key_file', path, 'Desktop Entry'], ['launch', path]);
      expect(entry).toMatchObject({ Name: oneLine(name), Type: 'Application', Terminal: 'false' });
      expect(await words()).toEqual([launch.command, 'shortcut-run', '--home', launch.home, id]);
      if (has('desktop-file-validate', findProgram('desktop-file-validate') !== null))
        await promisify(execFile)('desktop-file-validate', [path]);
    },
  );

  it.each(names)('Dolphin has the name %j', async (name) => {
    const { launch, session } = await scene();
    const [path = ''] = await write(dolphinFiles(script(name), launch, session));
    const [entry, action] = await parse(
      ['key_file', path, 'Desktop Entry'],
      ['key_file', path, 'Desktop Action run'],
    );
    expect(entry).toMatchObject({ Actions: 'run', MimeType: 'application/octet-stream;inode/directory;' });
    expect(action).toMatchObject({ Name: oneLine(name) });
  });
});

describe('the menu of', () => {
  const launch: Launch = { node: '/usr/bin/node', command: '/opt/hob.js', home: '/home/ada/hob' };
  const session: DesktopSession = {
    dataHome: '/data',
    configHome: '/config',
    configDirs: [],
    names: [],
    environment: {},
  };

  it.each([
    [['files'], [], 'nodirs;'],
    [['files', 'directory'], [], 'any;'],
    [['directory'], ['.mp4'], 'dir;'],
    [['files'], ['.mp4', '.a;b'], '.mp4;.a\\;b;'],
  ] as const)('Nemo shows an entry for %j with the filters %j', (targets, filters, extensions) => {
    const offered = script('x', { menu: { targets: [...targets], filters: [...filters] } });
    const [file, ...others] = nemoFiles(offered, launch, session);
    expect(file?.text).toContain(`\nExtensions=${extensions}\n`);
    expect(others).toEqual([]);
  });

  it('Nemo and Thunar shows an entry for one file only if the script takes one', () => {
    const offered = script('x', { takesOne: true });
    expect(nemoFiles(offered, launch, session)[0]?.text).toContain('\nSelection=s\n');
    expect(thunarActions(offered, launch, 'hob-')[0]?.text).toContain("'--' %f<");
  });

  it('Nautilus shortens a name that is too long for a file', () => {
    const [file] = nautilusFiles(script('长'.repeat(200)), launch, session);
    expect(Buffer.byteLength(file?.path.split('/').at(-1) ?? '')).toBeLessThanOrEqual(200);
  });
});
