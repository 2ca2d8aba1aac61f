import type { Command } from 'commander';

import { formatShortDuration } from '../../contract/quantities.ts';
import type { DeliveryAttempt } from '../../contract/types.ts';
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
import { ReportedError, UserError, usageError } from '../user-error.ts';

interface NotifyOptions extends CommonOptions {
  title?: string;
  duration?: number;
  test?: boolean;
}

const secondMs = 1000;
const longestS = 24 * 60 * 60;

export function configure(command: Command): void {
  withSignature(command, {
    '[type]': ['type of the notification', '消息的类型', { choices: ['success', 'error', 'info'] }],
    '[message]': ['text of the notification', '消息内容'],
    '--title <text>': ['title line above the message', '显示在消息上方的一行'],
    '--duration <seconds>': [
      'how many seconds to show it; 0: until it is closed (default: 5)',
      '显示多少秒；0 表示直到手动关闭（默认：5）',
      { parse: countArgument(0, longestS) },
    ],
    '--test': [
      'send a test to the URL of the setting notify_url, and print what it answers',
      '向设置 notify_url 中的网址发送一条测试通知，并显示对方的应答',
      { conflicts: ['title', 'duration'] },
    ],
    ...homeOption,
    ...jsonOption,
  })
    // The message may begin with a dash.
    .allowUnknownOption()
    .addHelpText('after', help + exitCodesText)
    .action(async (type: string | undefined, message: string | undefined, options: NotifyOptions) => {
      const { title, duration, test, home, json } = options;
      if (test === true && type === undefined) return sendTest(options);
      if (type === undefined || message === undefined || test === true)
        throw usageError(
          'Expected a type and a message, or only --test.',
          '应给出类型和消息内容，或者只用 --test。',
        );
      const client = await ServiceClient.ofRunOrHome(home);
      const answer = await client.post('/api/notify', {
        notify_type: type,
        message: title === undefined ? message : `${title}\n${message}`,
        ...(duration !== undefined && { duration: duration * secondMs, show_close: duration === 0 }),
      });
      if (json === true) printJson(answer);
    });
}

async function sendTest({ home, json }: NotifyOptions): Promise<void> {
  const client = await ServiceClient.ofRunOrHome(home);
  const attempt = await client.post<DeliveryAttempt>('/api/notifications/test');
  const { delivered, http_status, duration_ms, problem, hint } = attempt;
  if (json === true) printJson(attempt);
  if (!delivered) {
    if (json === true) throw new ReportedError();
    throw new UserError([problem, hint].filter((line) => line !== null).join('\n'));
  }
  const took = formatShortDuration(duration_ms);
  if (json !== true)
    process.stdout.write(
      `${tr(`Delivered: status ${http_status} after ${took}`, `已送达：状态码 ${http_status}，用时 ${took}`)}\n`,
    );
}

const help = tr(
  `
Examples:
  make && hob notify success "The build is done"
  hob notify --test
`,
  `
示例：
  make && hob notify success "构建完成"
  hob notify --test
`,
);
