import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { jsonText, type Language, type Sample, sdkFolder } from './language.ts';

const env = { PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8', PYTHONUNBUFFERED: '1' };
const lastFolders = { PYTHONPATH: sdkFolder('python') };

export const python = {
  startedWith:
    '`.venv` in the folder, else the [environment](packages.md#what-makes-an-environment) that Hob builds, else `python3`, `python`, `python3.*`',
  aliases: ['python3', 'py'],
  extensions: ['.py', '.pyw'],
  interpreter: {
    title: 'Python',
    names: process.platform === 'win32' ? ['python', 'python3', 'py'] : ['python3', 'python'],
    versionedName: /^python3\.(\d+)$/,
    probe: ['-c', 'import sys; print("%d.%d.%d" % sys.version_info[:3]); print(sys.executable)'],
    // These options also exist in Python 2, unlike -I.
    isolation: ['-E', '-s', '-S'],
    source: 'https://www.python.org/downloads/ (Debian, Ubuntu: apt install python3)',
  },
  start: (entry) => ({ args: [entry], env }),
  ownInterpreter(folder, platform) {
    const windows = platform === 'win32';
    const own = join(folder, '.venv', windows ? 'Scripts' : 'bin', windows ? 'python.exe' : 'python');
    // Also a broken link: another Python would lack the packages of the script.
    return isThere(own) ? own : null;
  },
  warm: 'python',
  // These folders precede installed packages, but an installed package must win.
  addSdk: (command, user) => (hasOwnHob(command.file, user) ? command : { ...command, lastFolders }),
  entryText: 'utf8',
  template: {
    word: 'python',
    meaning: { en: 'Python 3.8+', zh: 'Python 3.8+' },
    versions: '>=3.8',
    entry: 'main.py',
    write: writeEntry,
    editorFile: { path: 'pyrightconfig.json', write: () => jsonText({ extraPaths: [sdkFolder('python')] }) },
  },
} satisfies Language;

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Package folders of an interpreter, cached by the state of the folder. */
const known = new Map<string, { changedMs: number; folders: readonly string[] }>();

/**
 * Whether a module called `hob` is installed for a Python: in its environment, in its own folders, or in the folder of the user.
 * Cached, because it is called before every run.
 */
function hasOwnHob(python: string, env: Readonly<Record<string, string>>): boolean {
  const prefix = dirname(dirname(python));
  const libraries = [join(prefix, 'lib'), join(prefix, 'local', 'lib'), join(prefix, 'Lib')];
  const { HOME } = env;
  if (HOME !== undefined && HOME !== '') libraries.push(join(HOME, '.local', 'lib'));
  return libraries
    .flatMap(packageFolders)
    .some((folder) => existsSync(join(folder, 'hob')) || existsSync(join(folder, 'hob.py')));
}

function packageFolders(library: string): readonly string[] {
  try {
    // Most of these folders do not exist, and a check is faster than an exception.
    const mtimeMs = statSync(library, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs === undefined) return [];
    const before = known.get(library);
    if (before?.changedMs === mtimeMs) return before.folders;
    const folders = readdirSync(library)
      .filter((name) => /^python3/.test(name))
      .flatMap((name) => [join(library, name, 'site-packages'), join(library, name, 'dist-packages')])
      // On Windows, the path contains no version folder.
      .concat(join(library, 'site-packages'))
      .filter((folder) => existsSync(folder));
    known.set(library, { changedMs: mtimeMs, folders });
    return folders;
  } catch {
    return [];
  }
}

const measures = {
  files: ['os.path.getsize(item)', 'import os\n\n'],
  folders: ['len(os.listdir(item))', 'import os\n\n'],
  text: ['len(item)', ''],
} as const;

function writeEntry({ input, greeting, tr, summary }: Sample): string {
  const params = `greeting: str = "${greeting}", times: int = 1`;
  const about = tr(
    'The return value is the result: msg for people, the rest for programs. Printed text goes to the log of the run.',
    '返回值就是结果：msg 给人看，其余给程序用。打印的内容在运行日志里。',
  );
  if (input === 'none')
    return `import hob


@hob.main
def main(inputs: list, run: hob.Run, ${params}):
    # ${about}
    for time in range(times):
        print(greeting)
        run.progress((time + 1) / times, greeting)
    return {"msg": greeting, "times": times}
`;
  const [measure, imports] = measures[input];
  return `${imports}import hob


@hob.main
def main(inputs: list, run: hob.Run, ${params}):
    # ${about}
    for _ in range(times):
        print(greeting)
    total = 0
    for done, item in enumerate(inputs, start=1):
        total += ${measure}
        run.progress(done / len(inputs), item)
    return {"msg": f"${summary('{total}', '{len(inputs)}')}", "total": total}
`;
}
