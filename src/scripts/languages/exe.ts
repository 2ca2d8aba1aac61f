import { isExecutable } from '../../shared/find-program.ts';
import { command, unavailable } from '../runtimes/command.ts';
import type { Language } from './language.ts';

export const exe = {
  startedWith: 'the entry itself, which must be executable',
  aliases: ['executable', 'binary'],
  extensions: ['.exe'],
  async open(entry, { platform }) {
    if (platform === 'win32' || (await isExecutable(entry))) return command(entry, []);
    return unavailable(
      `The entry is not executable. Run: chmod +x "${entry}"`,
      `入口文件没有执行权限，请运行：chmod +x "${entry}"`,
    );
  },
} satisfies Language;
