import type { Text } from '../../shared/text.ts';
import type { Script } from '../script.ts';
import { type Unavailable, unavailable } from './command.ts';
import { isOnPath } from './find-interpreter.ts';
import { installCommand } from './package-hints.ts';

/** Why a script is not started for lack of a program that it names; null when all of them are there. */
export async function findMissingBinaries(
  { runtime }: Pick<Script, 'runtime'>,
  env: Readonly<Record<string, string>>,
): Promise<Unavailable | null> {
  const lacking: Text[] = [];
  for (const binary of runtime.binaries) {
    if (await isOnPath(binary, env)) continue;
    const command = await installCommand(binary, env);
    lacking.push({
      en: `The script needs the program "${binary}", which is not on PATH. ${
        command === null ? 'Install it' : `Install it with: ${command}`
      }`,
      zh: `脚本需要程序 "${binary}"，但 PATH 中没有找到。${command === null ? '请先安装' : `请运行：${command}`}`,
    });
  }
  if (lacking.length === 0) return null;
  // All of them at once: nobody wants to install one to be told of the next.
  return unavailable(
    `${lacking.map(({ en }) => en).join('\n')}\nStart Hob again if PATH changed.`,
    `${lacking.map(({ zh }) => zh).join('\n')}\n若修改了 PATH，请重启 Hob。`,
  );
}
