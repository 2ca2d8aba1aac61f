import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { WarmScene } from './warm-scene.ts';

/** Has Pythons tell which of them have compiled which scripts. `listening` is what they need for it. */
export async function hearCompilations(scene: WarmScene) {
  const log = join(scene.folder, 'compilations');
  const folder = join(scene.folder, 'lib');
  await mkdir(folder);
  await writeFile(log, '');
  const text = `
import os, sys
def hear(event, args):
    if event == "compile" and args[1] is not None:
        handle = os.open(${JSON.stringify(log)}, os.O_WRONLY | os.O_APPEND)
        os.write(handle, f"{os.getpid()} {args[1]}\\n".encode())
        os.close(handle)
sys.addaudithook(hear)
`;
  await writeFile(join(folder, 'listens.py'), text);
  return {
    listening: { preload: ['listens'], env: { PYTHONPATH: folder } },
    /** By their process ids, in order: each once, or each time. */
    async compilations(entry: string, which: 'once' | 'all' = 'once'): Promise<number[]> {
      const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line.endsWith(` ${entry}`));
      const pids = lines.map((line) => Number.parseInt(line, 10));
      return which === 'all' ? pids : [...new Set(pids)];
    },
  };
}
