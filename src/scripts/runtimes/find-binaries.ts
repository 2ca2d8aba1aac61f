import type { Text } from '../../shared/text.ts';
import type { Problem, Script } from '../script.ts';
import { type Unavailable, unavailable } from './command.ts';
import { isOnPath } from './find-interpreter.ts';
import { installCommand } from './package-hints.ts';

interface Lack {
  readonly message: Text;
  readonly advice: Text;
}

/** Returns why a script cannot start for lack of a declared program; null if all exist. */
export async function findMissingBinaries(
  script: Pick<Script, 'runtime'>,
  env: Readonly<Record<string, string>>,
): Promise<Unavailable | null> {
  const lacks = await lacksOf(script, env);
  if (lacks.length === 0) return null;
  // Report all missing programs at once.
  const en = lacks.map(({ message, advice }) => `${message.en}. ${advice.en}`).join('\n');
  const zh = lacks.map(({ message, advice }) => `${message.zh}。${advice.zh}`).join('\n');
  return unavailable(`${en}\nIf PATH has changed, restart Hob.`, `${zh}\n若修改了 PATH，请重启 Hob。`);
}

/** The same as notes, for a script that is not being started. */
export async function noteMissingBinaries(
  script: Pick<Script, 'runtime' | 'manifestPath'>,
  env: Readonly<Record<string, string>>,
): Promise<Problem[]> {
  const lacks = await lacksOf(script, env);
  return lacks.map((lack) => ({ severity: 'note', file: script.manifestPath, line: null, ...lack }));
}

async function lacksOf(
  { runtime }: Pick<Script, 'runtime'>,
  env: Readonly<Record<string, string>>,
): Promise<Lack[]> {
  const lacks: Lack[] = [];
  for (const binary of runtime.binaries) {
    if (await isOnPath(binary, env)) continue;
    const command = await installCommand(binary, env);
    lacks.push({
      message: {
        en: `The script needs the program "${binary}", which is not on PATH`,
        zh: `脚本需要程序 "${binary}"，但 PATH 中没有找到`,
      },
      advice: {
        en: command === null ? 'Install it' : `Install it with: ${command}`,
        zh: command === null ? '请先安装' : `请运行：${command}`,
      },
    });
  }
  return lacks;
}
