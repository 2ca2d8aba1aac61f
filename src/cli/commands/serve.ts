import type { Command } from 'commander';

import { serve } from '../../main.ts';
import { ExplainedError } from '../../shared/errors.ts';
import { language } from '../language.ts';
import { withSignature } from '../options.ts';
import { UserError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '--home <dir>': [
      "home folder for the database, runs, scripts, models and settings (default: HOB_HOME, or the platform's data folder)",
      'Hob 的数据目录：数据库、运行记录、脚本、模型、设置（默认：HOB_HOME，否则为系统的数据文件夹）',
    ],
    '--host <address>': [
      'address to listen on; addresses other than loopback require --token (default: 127.0.0.1 and ::1)',
      '监听地址；本机地址以外的地址需要 --token（默认：127.0.0.1 和 ::1）',
    ],
    '--port <number>': [
      'port to listen on; 0 picks a free one (default: 9527)',
      '监听端口；0 表示任意空闲端口（默认：9527）',
    ],
    '--hooks-listen <address>': [
      'address and port of the separate listener for webhooks, such as 127.0.0.1:8790 (default: none)',
      '接收 Webhook 的单独监听地址和端口，例如 127.0.0.1:8790（默认：不监听）',
    ],
    '--token': [
      'require the access token from every caller; `hob token` prints it',
      '拒绝没有令牌的调用方；令牌可用 `hob token` 查看',
    ],
    '--scripts <dir...>': [
      'more folders with scripts, besides the scripts folder of the home',
      '除数据目录自带的以外，其他存放脚本的文件夹',
    ],
    '--log-level <level>': [
      'trace, debug, info, warn, error or silent (default: info)',
      '日志级别：trace、debug、info、warn、error 或 silent（默认：info）',
    ],
  }).action(async (options: Parameters<typeof serve>[0]) => {
    try {
      await serve(options);
    } catch (error) {
      throw error instanceof ExplainedError ? new UserError(error.text[language]) : error;
    }
  });
}
