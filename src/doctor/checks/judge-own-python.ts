import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Unavailable } from '../../scripts/runtimes/command.ts';
import { isExecutable } from '../../scripts/runtimes/find-interpreter.ts';
import { rejectOwnPython } from '../../scripts/runtimes/resolve-command.ts';
import type { Script } from '../../scripts/script.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';

type Judgement = Unavailable | { readonly kind: 'not-checked'; readonly message: Text } | null;

const maxConfigBytes = 64 * 1024;

/** Higher than any patch version of Python. */
const lastPatch = 999;

/** Returns why the Python in the folder of a script cannot run it, or null. Reads files only: that Python is never started. */
export async function judgeOwnPython(script: Script, path: string): Promise<Judgement> {
  // A broken link is not executable either.
  if (!(await isExecutable(path))) return rejectOwnPython(script, null);
  const version = (await configuredVersion(path)) ?? (await linkedVersion(path));
  if (version === null) return notChecked(script);
  const judge = (full: string) => rejectOwnPython(script, { path, version: full });
  if (version.split('.').length > 2) return judge(version);
  const [first, last] = [judge(`${version}.0`), judge(`${version}.${lastPatch}`)];
  if ((first === null) !== (last === null)) return notChecked(script);
  return first === null ? null : rejectOwnPython(script, { path, version });
}

/** The Python version of the environment. `venv` writes `version`; `virtualenv` and `uv` write `version_info`. */
async function configuredVersion(path: string): Promise<string | null> {
  const read = await readRegularFile(join(dirname(dirname(path)), 'pyvenv.cfg'), {
    maxBytes: maxConfigBytes,
  });
  if (read.kind !== 'content') return null;
  return /^version(?:_info)?[ \t]*=[ \t]*(\d+\.\d+(?:\.\d+)?)/im.exec(read.bytes.toString())?.[1] ?? null;
}

/** The version in the name of the link target, such as python3.11. */
async function linkedVersion(path: string): Promise<string | null> {
  const name = basename(await realpath(path).catch(() => path));
  return /^python(\d+\.\d+)(?:\.exe)?$/i.exec(name)?.[1] ?? null;
}

function notChecked({ folder }: Script): Judgement {
  const environment = join(folder, '.venv');
  return {
    kind: 'not-checked',
    message: {
      en: `The Python in ${environment} was not checked: no file states its version, and hob doctor never starts programs of a script. Run the script to see whether it works.`,
      zh: `未检查 ${environment} 中的 Python：没有文件说明其版本，而 hob doctor 不会启动脚本自带的程序。运行一次该脚本即可知道它能否使用。`,
    },
  };
}
