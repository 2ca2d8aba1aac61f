import type { Command } from 'commander';

import { tr } from './language.ts';

/** A subcommand: its summary for `hob --help`, and a loader for its options and action. */
export interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** Heading in `hob --help`. */
  readonly group: string;
  /** Used by shells only and therefore not listed in `hob --help`. */
  readonly isHidden?: boolean;
  /** Loads the module that adds options and action. Only the called command is loaded, so that `hob` starts quickly. */
  load(): Promise<{ configure(command: Command): void }>;
}

const service = tr('Service:', '服务：');
const scripts = tr('Manage scripts:', '脚本：');
const running = tr('Run scripts:', '运行脚本：');
const authors = tr('Write scripts:', '给脚本作者：');
const inside = tr('Inside bash and sh scripts:', '在 bash 和 sh 脚本中：');
const help = tr('Troubleshooting:', '出现问题时：');
const shell = tr('Shell integration:', '给您的 shell：');

/** Every subcommand, in the order of `hob --help`. */
export const subcommands: readonly Subcommand[] = [
  {
    name: 'serve',
    group: service,
    summary: tr('run the service in this terminal', '在此终端中运行服务'),
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'start',
    group: service,
    summary: tr('start the service in the background', '在后台启动服务'),
    load: () => import('./commands/start.ts'),
  },
  {
    name: 'stop',
    group: service,
    summary: tr('stop the running service', '停止正在运行的服务'),
    load: () => import('./commands/stop.ts'),
  },
  {
    name: 'token',
    group: service,
    summary: tr('print or renew the access token', '显示或更换令牌'),
    load: () => import('./commands/token.ts'),
  },
  {
    name: 'service',
    group: service,
    summary: tr('start Hob automatically at login', '让 Hob 在登录时自动启动'),
    load: () => import('./commands/service.ts'),
  },
  {
    name: 'export',
    group: service,
    summary: tr('write scripts, settings and history to a file', '把脚本、设置和运行记录写入文件'),
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    group: service,
    summary: tr('add scripts, settings and history from a file', '从文件导入脚本、设置和运行记录'),
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'list',
    group: running,
    summary: tr('list scripts', '列出脚本'),
    load: () => import('./commands/list.ts'),
  },
  {
    name: 'show',
    group: running,
    summary: tr('show the details of a script or a run', '显示一个脚本或一次运行的全部信息'),
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'run',
    group: running,
    summary: tr('run a script and show its output', '运行脚本并显示输出'),
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'runs',
    group: running,
    summary: tr('list current and past runs', '列出运行记录'),
    load: () => import('./commands/runs.ts'),
  },
  {
    name: 'logs',
    group: running,
    summary: tr('print or follow the output of a run', '查看或实时跟踪运行输出'),
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'cancel',
    group: running,
    summary: tr('cancel a run', '停止运行'),
    load: () => import('./commands/cancel.ts'),
  },
  {
    name: 'rerun',
    group: running,
    summary: tr('repeat an earlier run', '重新运行'),
    load: () => import('./commands/rerun.ts'),
  },
  {
    name: 'tree',
    group: running,
    summary: tr('show the tree of parent and child runs', '显示运行之间的调用关系'),
    load: () => import('./commands/tree.ts'),
  },
  {
    name: 'stats',
    group: running,
    summary: tr('show run counts, success rates and durations', '统计次数、成功率和耗时'),
    load: () => import('./commands/stats.ts'),
  },
  {
    name: 'notify',
    group: running,
    summary: tr('show a desktop notification', '显示通知'),
    load: () => import('./commands/notify.ts'),
  },
  {
    name: 'open',
    group: running,
    summary: tr('open the web console in the browser', '在浏览器中打开 Hob'),
    load: () => import('./commands/open.ts'),
  },
  {
    name: 'install',
    group: scripts,
    summary: tr(
      'install a script from a folder, an archive or a git repository',
      '从文件夹、压缩包或 git 仓库安装脚本',
    ),
    load: () => import('./commands/install.ts'),
  },
  {
    name: 'update',
    group: scripts,
    summary: tr('update installed scripts', '更新已安装的脚本'),
    load: () => import('./commands/update.ts'),
  },
  {
    name: 'rollback',
    group: scripts,
    summary: tr('restore the previous version of a script', '回到更新之前的版本'),
    load: () => import('./commands/rollback.ts'),
  },
  {
    name: 'uninstall',
    group: scripts,
    summary: tr('remove an installed script', '卸载脚本'),
    load: () => import('./commands/uninstall.ts'),
  },
  {
    name: 'packages',
    group: scripts,
    summary: tr('list installed scripts', '列出已安装的脚本'),
    load: () => import('./commands/packages.ts'),
  },
  {
    name: 'prepare',
    group: scripts,
    summary: tr('create the environment of a script before its first run', '在首次运行前准备好脚本的环境'),
    load: () => import('./commands/prepare.ts'),
  },
  {
    name: 'environments',
    group: scripts,
    summary: tr('list and remove the environments of scripts', '列出和删除脚本的运行环境'),
    load: () => import('./commands/environments.ts'),
  },
  {
    name: 'model',
    group: scripts,
    summary: tr('list, download and delete models', '列出、下载和删除模型'),
    load: () => import('./commands/model.ts'),
  },
  {
    name: 'new',
    group: authors,
    summary: tr('create a script that is ready to run', '新建一个马上就能运行的脚本'),
    load: () => import('./commands/new.ts'),
  },
  {
    name: 'check',
    group: authors,
    summary: tr('check a script for errors', '找出脚本的所有问题'),
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'pack',
    group: authors,
    summary: tr('create a package from a script', '把脚本打包'),
    load: () => import('./commands/pack.ts'),
  },
  {
    name: 'input',
    group: inside,
    summary: tr('print the input values of the current run', '打印本次运行的输入'),
    load: () => import('./commands/input.ts'),
  },
  {
    name: 'param',
    group: inside,
    summary: tr('print a param of the current run', '打印本次运行的参数'),
    load: () => import('./commands/param.ts'),
  },
  {
    name: 'progress',
    group: inside,
    summary: tr('report the progress of the script', '报告脚本的进度'),
    load: () => import('./commands/progress.ts'),
  },
  {
    name: 'link',
    group: inside,
    summary: tr('run another script and print its envelope', '运行另一个脚本并打印其结果'),
    load: () => import('./commands/link.ts'),
  },
  {
    name: 'envelope',
    group: inside,
    summary: tr('write the result envelope of the run', '写入本次运行的结果'),
    load: () => import('./commands/envelope.ts'),
  },
  {
    name: 'doctor',
    group: help,
    summary: tr('check the installation and suggest fixes', '全面检查，并告诉您下一步怎么做'),
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    group: shell,
    summary: tr('print the completion script for a shell', '让 shell 自动补全您输入的命令'),
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'complete',
    group: shell,
    isHidden: true,
    summary: tr('print completions, for shells', '接下来可以输入什么（供 shell 使用）'),
    load: () => import('./commands/complete.ts'),
  },
];
