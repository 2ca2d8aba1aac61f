import type { Command } from 'commander';

import { tr } from '../language.ts';
import {
  type CommonOptions,
  countArgument,
  exitCodesText,
  homeOption,
  jsonOption,
  withSignature,
} from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';

interface NotifyOptions extends CommonOptions {
  title?: string;
  duration?: number;
}

const secondMs = 1000;
const longestS = 24 * 60 * 60;

export function configure(command: Command): void {
  withSignature(command, {
    '<type>': ['type of the notification', '消息的类型', { choices: ['success', 'error', 'info'] }],
    '<message>': ['text of the notification', '消息内容'],
    '--title <text>': ['title line above the message', '显示在消息上方的一行'],
    '--duration <seconds>': [
      'how many seconds to show it; 0: until it is closed (default: 5)',
      '显示多少秒；0 表示直到手动关闭（默认：5）',
      { parse: countArgument(0, longestS) },
    ],
    ...homeOption,
    ...jsonOption,
  })
    // The message may begin with a dash.
    .allowUnknownOption()
    .addHelpText('after', help + exitCodesText)
    .action(async (type: string, message: string, { title, duration, home, json }: NotifyOptions) => {
      const client = await ServiceClient.ofRunOrHome(home);
      const answer = await client.post('/api/notify', {
        notify_type: type,
        message: title === undefined ? message : `${title}\n${message}`,
        ...(duration !== undefined && { duration: duration * secondMs, show_close: duration === 0 }),
      });
      if (json === true) printJson(answer);
    });
}

const help = tr(
  `
Example: make && hob notify success "The build is done"
`,
  `
示例：make && hob notify success "构建完成"
`,
);
