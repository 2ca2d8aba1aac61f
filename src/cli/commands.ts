import type { Command } from 'commander';

import { tr } from './language.ts';

/** A subcommand: its summary for `hob --help`, and a loader for its options and action. */
export interface Subcommand {
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  /** Used by other programs only, such as shells, and therefore not listed in `hob --help`. */
  readonly isHidden: boolean;
  /** Loads the module that adds options and action. Only the called command is loaded, so that `hob` starts quickly. */
  load(): Promise<{ configure(command: Command): void }>;
}

type Row = readonly [load: Subcommand['load'], english: string, chinese: string];

/** Commands that other programs start. */
const hidden: ReadonlySet<string> = new Set(['complete', 'menu-run', 'shortcut-run']);

/** Every subcommand, in the order of `hob --help`. */
export const subcommands: readonly Subcommand[] = [
  ...group(tr('Service:', '服务：'), {
    serve: [() => import('./commands/serve.ts'), 'run the service in this terminal', '在此终端中运行服务'],
    start: [() => import('./commands/start.ts'), 'start the service in the background', '在后台启动服务'],
    stop: [() => import('./commands/stop.ts'), 'stop the running service', '停止正在运行的服务'],
    token: [() => import('./commands/token.ts'), 'print or renew the access token', '显示或更换令牌'],
    secret: [
      () => import('./commands/secret.ts'),
      'store, list and remove secrets, for example of webhooks',
      '保存、列出和删除密钥，例如 Webhook 的密钥',
    ],
    service: [
      () => import('./commands/service.ts'),
      'start Hob automatically at login',
      '让 Hob 在登录时自动启动',
    ],
    export: [
      () => import('./commands/export.ts'),
      'write scripts, settings and history to a file',
      '把脚本、设置和运行记录写入文件',
    ],
    import: [
      () => import('./commands/import.ts'),
      'add scripts, settings and history from a file',
      '从文件导入脚本、设置和运行记录',
    ],
  }),
  ...group(tr('Run scripts:', '运行脚本：'), {
    list: [() => import('./commands/list.ts'), 'list scripts', '列出脚本'],
    show: [
      () => import('./commands/show.ts'),
      'show the details of a script or a run',
      '显示一个脚本或一次运行的全部信息',
    ],
    where: [() => import('./commands/where.ts'), 'print the folder of a script', '打印脚本所在的文件夹'],
    run: [() => import('./commands/run.ts'), 'run a script and show its output', '运行脚本并显示输出'],
    runs: [() => import('./commands/runs.ts'), 'list current and past runs', '列出运行记录'],
    logs: [
      () => import('./commands/logs.ts'),
      'print or follow the output of a run',
      '查看或实时跟踪运行输出',
    ],
    cancel: [() => import('./commands/cancel.ts'), 'cancel a run', '停止运行'],
    rerun: [() => import('./commands/rerun.ts'), 'repeat an earlier run', '重新运行'],
    tree: [
      () => import('./commands/tree.ts'),
      'show the tree of parent and child runs',
      '显示运行之间的调用关系',
    ],
    stats: [
      () => import('./commands/stats.ts'),
      'show run counts, success rates and durations',
      '统计次数、成功率和耗时',
    ],
    notify: [() => import('./commands/notify.ts'), 'show a desktop notification', '显示通知'],
    triggers: [
      () => import('./commands/triggers.ts'),
      'start scripts by themselves: at times, for new files, by webhooks',
      '让脚本自动启动：按时间、有新文件时或收到 Webhook 时',
    ],
    menus: [
      () => import('./commands/menus.ts'),
      'start scripts from file managers and with keys',
      '从文件管理器的菜单或用快捷键启动脚本',
    ],
    mcp: [
      () => import('./commands/mcp.ts'),
      'let agents use scripts as tools (MCP)',
      '让智能体把脚本当作工具使用（MCP）',
    ],
    open: [() => import('./commands/open.ts'), 'open the web console in the browser', '在浏览器中打开 Hob'],
  }),
  ...group(tr('Manage scripts:', '脚本：'), {
    install: [
      () => import('./commands/install.ts'),
      'install a script from a folder, an archive or a git repository',
      '从文件夹、压缩包或 git 仓库安装脚本',
    ],
    update: [() => import('./commands/update.ts'), 'update installed scripts', '更新已安装的脚本'],
    rollback: [
      () => import('./commands/rollback.ts'),
      'restore the previous version of a script',
      '回到更新之前的版本',
    ],
    uninstall: [() => import('./commands/uninstall.ts'), 'remove an installed script', '卸载脚本'],
    packages: [() => import('./commands/packages.ts'), 'list installed scripts', '列出已安装的脚本'],
    prepare: [
      () => import('./commands/prepare.ts'),
      'create the environment of a script before its first run',
      '在首次运行前准备好脚本的环境',
    ],
    environments: [
      () => import('./commands/environments.ts'),
      'list and remove the environments of scripts',
      '列出和删除脚本的运行环境',
    ],
    model: [() => import('./commands/model.ts'), 'list, download and delete models', '列出、下载和删除模型'],
  }),
  ...group(tr('Write scripts:', '给脚本作者：'), {
    new: [
      () => import('./commands/new.ts'),
      'create a script that is ready to run',
      '新建一个马上就能运行的脚本',
    ],
    check: [() => import('./commands/check.ts'), 'check a script for errors', '找出脚本的所有问题'],
    pack: [() => import('./commands/pack.ts'), 'create a package from a script', '把脚本打包'],
    types: [
      () => import('./commands/types.ts'),
      'print the types of a script for programs',
      '输出脚本的类型，供程序使用',
    ],
  }),
  ...group(tr('Inside bash and sh scripts:', '在 bash 和 sh 脚本中：'), {
    input: [
      () => import('./commands/input.ts'),
      'print the input values of the current run',
      '打印本次运行的输入',
    ],
    param: [() => import('./commands/param.ts'), 'print a param of the current run', '打印本次运行的参数'],
    progress: [() => import('./commands/progress.ts'), 'report the progress of the script', '报告脚本的进度'],
    link: [
      () => import('./commands/link.ts'),
      'run another script and print its envelope',
      '运行另一个脚本并打印其结果',
    ],
    envelope: [
      () => import('./commands/envelope.ts'),
      'write the result envelope of the run',
      '写入本次运行的结果',
    ],
  }),
  ...group(tr('Troubleshooting:', '出现问题时：'), {
    doctor: [
      () => import('./commands/doctor.ts'),
      'check the installation and suggest fixes',
      '全面检查，并告诉您下一步怎么做',
    ],
  }),
  ...group(tr('For programmers:', '给程序员：'), {
    api: [
      () => import('./commands/api.ts'),
      'send an HTTP request to the service and print the response',
      '向服务发送 HTTP 请求并输出响应',
    ],
  }),
  ...group(tr('Shell integration:', '给您的 shell：'), {
    completion: [
      () => import('./commands/completion.ts'),
      'print the completion script for a shell',
      '让 shell 自动补全您输入的命令',
    ],
    complete: [
      () => import('./commands/complete.ts'),
      'print completions, for shells',
      '接下来可以输入什么（供 shell 使用）',
    ],
    'menu-run': [
      () => import('./commands/menu-run.ts'),
      'start a script from the menu of a file manager',
      '从文件管理器的菜单启动脚本',
    ],
    'shortcut-run': [
      () => import('./commands/shortcut-run.ts'),
      'start a script from a launcher or with a key',
      '用启动器或快捷键启动脚本',
    ],
  }),
];

function group(title: string, rows: Readonly<Record<string, Row>>): Subcommand[] {
  return Object.entries(rows).map(([name, [load, english, chinese]]) => ({
    name,
    group: title,
    summary: tr(english, chinese),
    isHidden: hidden.has(name),
    load,
  }));
}
