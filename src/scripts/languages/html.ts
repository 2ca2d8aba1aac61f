import { pathToFileURL } from 'node:url';

import { isOnPath } from '../../shared/find-program.ts';
import { command, unavailable } from '../runtimes/command.ts';
import type { Language } from './language.ts';

export const html = {
  startedWith: 'the browser: `xdg-open`, on macOS `open`',
  extensions: ['.html', '.htm'],
  async open(entry, { platform, env }) {
    const url = pathToFileURL(entry).href;
    if (platform === 'win32')
      return command('rundll32.exe', ['url.dll,FileProtocolHandler', url], {}, 'none');
    const opener = platform === 'darwin' ? 'open' : 'xdg-open';
    if (await isOnPath(opener, env)) return command(opener, [url], {}, 'none');
    return unavailable(
      `${opener}, which opens the browser, is not on PATH. Install it (Debian, Ubuntu: apt install xdg-utils).`,
      `PATH 中没有可用于打开浏览器的 ${opener}，请安装（Debian、Ubuntu：apt install xdg-utils）。`,
    );
  },
} satisfies Language;
